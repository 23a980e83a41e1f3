-- The run_offset of a serialized CronPartitionTimetable: how many ticks from a run to its partition.
create or replace function pgbackfill._run_offset(p_timetable jsonb)
returns integer
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  c_most constant integer := 10000;
  v_value constant jsonb := p_timetable -> 'run_offset';
begin
  if v_value is null then
    raise exception 'timetable: run_offset must be a whole number or null, not missing' using errcode = 'PB016';
  elsif v_value::text !~ '^-?[0-9]+$' then
    return 0;  -- Airflow warns and goes on without
  elsif abs(v_value::numeric) > c_most then
    raise exception 'timetable: run_offset must be at most %', c_most using errcode = 'PB016';
  end if;
  return v_value::integer;
end
$$;

comment on function pgbackfill._run_offset(jsonb) is
  '0 for null and for what is no whole number, which Airflow ignores. PB016 if the key is missing or beyond 10,000 ticks.';

revoke all on function pgbackfill._run_offset(jsonb) from public;
