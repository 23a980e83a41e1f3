-- The slots of a DeltaDataIntervalTimetable: intervals of one delta each, the first from p_from on.
create or replace function pgbackfill._delta_data_interval_infos(p_timetable jsonb, p_from timestamptz, p_to timestamptz)
returns setof pgbackfill.dag_run_info
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_delta constant pgbackfill.relativedelta := pgbackfill._timetable_delta(p_timetable, 'delta', 1);
begin
  return query
  select p, p, pgbackfill._shift(p, v_delta), pgbackfill._shift(p, v_delta), null::text, null::timestamptz
  from pgbackfill._delta_points(v_delta, p_from, p_to) p;
end
$$;

comment on function pgbackfill._delta_data_interval_infos(jsonb, timestamptz, timestamptz) is
  'p_timetable has delta. The last interval may end after p_to. PB016 for what is missing or not acceptable.';

revoke all on function pgbackfill._delta_data_interval_infos(jsonb, timestamptz, timestamptz) from public;
