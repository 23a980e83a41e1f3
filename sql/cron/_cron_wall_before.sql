-- The last wall clock time before p_wall that a cron expression matches; null if there is none in 50 years.
create or replace function pgbackfill._cron_wall_before(p_cron pgbackfill.cron_fields, p_wall timestamp)
returns timestamp
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_day constant date := p_wall::date;
  v_not_later constant integer := width_bucket(p_wall::time, p_cron.times);
  v_days integer;
  v_found timestamp;
begin
  if exists (select from pgbackfill._cron_days(p_cron, v_day, v_day)) then
    v_found := v_day + p_cron.times[v_not_later - (p_cron.times[v_not_later] = p_wall::time)::integer];
  end if;

  foreach v_days in array '{31,366,2922,18262}'::integer[] loop
    exit when v_found is not null;
    select max(d) + p_cron.times[cardinality(p_cron.times)] into v_found
    from pgbackfill._cron_days(p_cron, v_day - v_days, v_day - 1) d;
  end loop;
  return v_found;
end
$$;

comment on function pgbackfill._cron_wall_before(pgbackfill.cron_fields, timestamp) is
  'croniter''s get_prev on a time without a zone, which gives up after 50 years too.';

revoke all on function pgbackfill._cron_wall_before(pgbackfill.cron_fields, timestamp) from public;
