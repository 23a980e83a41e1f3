-- The days from p_from to p_to that a cron expression matches.
create or replace function pgbackfill._cron_days(p_cron pgbackfill.cron_fields, p_from date, p_to date)
returns setof date
language sql
immutable
as $$
  select c.day
  from (
    select
      d.day,
      extract(year from d.day)::integer as year,
      extract(month from d.day)::integer as month,
      extract(day from d.day)::integer as month_day,
      extract(dow from d.day)::integer as weekday,
      extract(day from date_trunc('month', d.day::timestamp) + interval '1 month -1 day')::integer as last_day
    from (
      select p_from + n as day
      from generate_series(0, p_to - p_from) n
    ) d
  ) c
  cross join lateral (
    select
      case
        when p_cron.nearest_weekday is not null
          then c.month_day = pgbackfill._nearest_weekday(c.day, p_cron.nearest_weekday)
        when p_cron.days is null then true
        else c.month_day = any(p_cron.days) or p_cron.on_last_day and c.month_day = c.last_day
      end as of_month,
      case
        when p_cron.nth_weekdays is not null
          then c.weekday * 10 + (c.month_day + 6) / 7 = any(p_cron.nth_weekdays)
            or c.weekday * 10 = any(p_cron.nth_weekdays) and c.month_day > c.last_day - 7
        when p_cron.weekdays is null then true
        else c.weekday = any(p_cron.weekdays)
      end as of_week
  ) m
  where (p_cron.years is null or c.year = any(p_cron.years))
    and (p_cron.months is null or c.month = any(p_cron.months))
    and case when p_cron.either_day then m.of_month or m.of_week else m.of_month and m.of_week end
$$;

comment on function pgbackfill._cron_days(pgbackfill.cron_fields, date, date) is
  'Has no search_path of its own so that the planner can inline it; its callers pin theirs.';

revoke all on function pgbackfill._cron_days(pgbackfill.cron_fields, date, date) from public;
