-- The day of the month of the weekday (Monday to Friday) that is nearest to day p_target of p_day's month, and in it.
create or replace function pgbackfill._nearest_weekday(p_day date, p_target integer)
returns integer
language sql
immutable
set search_path = pg_catalog, pg_temp
as $$
  select case extract(isodow from t.first_day + t.target - 1)
    when 6 then case when t.target > 1 then t.target - 1 else 3 end
    when 7 then case when t.target < t.last_day then t.target + 1 else t.target - 2 end
    else t.target
  end
  from (
    select m.first_day, m.last_day, least(p_target, m.last_day) as target
    from (
      select
        date_trunc('month', p_day::timestamp)::date as first_day,
        extract(day from date_trunc('month', p_day::timestamp) + interval '1 month -1 day')::integer as last_day
    ) m
  ) t
$$;

comment on function pgbackfill._nearest_weekday(date, integer) is
  'What 15w means in the day-of-month field of a cron expression.';

revoke all on function pgbackfill._nearest_weekday(date, integer) from public;
