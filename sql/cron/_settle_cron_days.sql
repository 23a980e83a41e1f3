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
  v_week_days pgbackfill.cron_fields := p_cron;
begin
  if not p_cron.either_day then
    return p_cron;
  end if;

  -- croniter searches twice, each time with the other field set to '*', and takes the earlier match. But a nearest
  -- weekday (15w) and an n-th weekday bind both searches, so that what the other field adds is lost.
  v_cron.either_day := p_cron.nearest_weekday is null and p_cron.nth_weekdays is null;
  v_month_days.weekdays := null;
  v_month_days.either_day := false;
  v_week_days.days := null;
  v_week_days.either_day := false;
  if p_cron.nearest_weekday is not null then
    v_cron.weekdays := null;
  elsif p_cron.nth_weekdays is not null then
    v_cron.days := null;
  end if;

  -- A search that never ends in a match (31 February) is an error of croniter's, so Airflow then has no slot at all,
  -- though the other search may find some. The calendar repeats after 28 years.
  v_month_days.years := null;
  v_week_days.years := null;
  if not exists (select from pgbackfill._cron_days(v_month_days, '2000-01-01', '2027-12-31'))
    or not exists (select from pgbackfill._cron_days(v_week_days, '2000-01-01', '2027-12-31'))
  then
    v_cron.times := '{}';
  end if;
  return v_cron;
end
$$;

comment on function pgbackfill._settle_cron_days(pgbackfill.cron_fields) is
  'Returns a cron whose fields all count, with no times at all where croniter never finds a match.';

revoke all on function pgbackfill._settle_cron_days(pgbackfill.cron_fields) from public;
