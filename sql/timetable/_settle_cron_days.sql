-- Both day fields given: which of them count, as croniter goes about "day of month OR day of week".
create or replace function pgbackfill._settle_cron_days(p_cron pgbackfill.cron_fields)
returns pgbackfill.cron_fields
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_cron pgbackfill.cron_fields := p_cron;
  v_month_days pgbackfill.cron_fields := p_cron;
begin
  if not p_cron.either_day then
    return p_cron;
  end if;

  -- croniter looks for the next match of each field with the other one set to '*', and takes the earlier. But an n-th
  -- weekday and a nearest weekday (15w) bind both searches, so that what the other field adds is lost.
  v_month_days.either_day := false;
  v_month_days.weekdays := null;
  v_month_days.years := null;
  if p_cron.nearest_weekday is not null then
    v_cron.weekdays := null;
    v_cron.either_day := false;
  elsif p_cron.nth_weekdays is not null then
    v_cron.days := null;
    v_cron.on_last_day := false;
    v_cron.either_day := false;
  end if;

  -- A search that never ends in a match (31 February) is an error of croniter's, and Airflow never schedules anything.
  -- The calendar repeats after 28 years.
  if not exists (select from pgbackfill._cron_days(v_month_days, '2000-01-01', '2027-12-31')) then
    v_cron.times := '{}';
  end if;
  return v_cron;
end
$$;

comment on function pgbackfill._settle_cron_days(pgbackfill.cron_fields) is
  'Returns a cron whose fields all count, with no times at all where croniter never finds a match.';

revoke all on function pgbackfill._settle_cron_days(pgbackfill.cron_fields) from public;
