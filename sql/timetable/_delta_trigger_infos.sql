-- The slots of a DeltaTriggerTimetable: one at p_from, and at each moment a delta after the one before.
create or replace function pgbackfill._delta_trigger_infos(p_timetable jsonb, p_from timestamptz, p_to timestamptz)
returns setof pgbackfill.dag_run_info
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_delta constant pgbackfill.relativedelta := pgbackfill._timetable_delta(p_timetable, 'delta', 1);
  v_interval constant pgbackfill.relativedelta := pgbackfill._timetable_delta(p_timetable, 'interval', -1);
begin
  return query
  select pgbackfill._shift(p, v_interval), pgbackfill._shift(p, v_interval), p, p, null::text, null::timestamptz
  from pgbackfill._delta_points(v_delta, p_from, p_to) p;
end
$$;

comment on function pgbackfill._delta_trigger_infos(jsonb, timestamptz, timestamptz) is
  'p_timetable has delta and interval. PB016 for what is missing or not acceptable.';

revoke all on function pgbackfill._delta_trigger_infos(jsonb, timestamptz, timestamptz) from public;
