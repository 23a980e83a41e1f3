-- Makes a DAG known where no Airflow is, on a timetable as Airflow serializes it.
create or replace function pgbackfill.register_dag(
  dag_id text,
  timetable jsonb,
  max_active_runs integer default 16,
  description text default null
)
returns setof pgbackfill.registered_dag
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set jit = off  -- compiling costs more than it could save here
as $$
begin
  return next pgbackfill._register_dag(
    dag_id, timetable, coalesce(timetable -> '__var' ->> 'expression', timetable ->> '__type'),
    coalesce(timetable -> '__var' ->> 'timezone', 'UTC'), max_active_runs, description
  );
end
$$;

comment on function pgbackfill.register_dag(text, jsonb, integer, text) is
  'Registers a DAG on any built-in timetable, or changes it; returns its newest version. timetable: as in timetable_infos. '
  'PB003 non-periodic, PB013 a class that SQL cannot evaluate, PB014 where Airflow is, PB016 bad id or timetable.';

revoke all on function pgbackfill.register_dag(text, jsonb, integer, text) from public;
