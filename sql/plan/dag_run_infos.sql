-- The slots of a DAG's schedule in a window, whether or not runs exist for them.
create or replace function pgbackfill.dag_run_infos(
  dag_id text,
  from_date timestamptz,
  to_date timestamptz,
  run_backwards boolean default false
)
returns setof pgbackfill.dag_run_info
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set jit = off  -- compiling costs more than it could save here
as $$
begin
  perform pgbackfill._check_arguments(from_date, to_date, run_backwards, 'none');

  return query
  select *
  from unnest(pgbackfill._slots(pgbackfill._dag(dag_id), from_date, to_date, run_backwards, null));
end
$$;

comment on function pgbackfill.dag_run_infos(text, timestamptz, timestamptz, boolean) is
  'The slots between from_date and to_date (both inclusive) whose interval has ended, in run order. PB002 unknown DAG, PB003 non-periodic, PB013 unsupported timetable, PB016 null.';

revoke all on function pgbackfill.dag_run_infos(text, timestamptz, timestamptz, boolean) from public;
