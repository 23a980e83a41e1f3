-- Makes a DAG known where no Airflow is, on several cron expressions.
create or replace function pgbackfill.register_dag(
  dag_id text,
  crons text[],
  timezone text default 'UTC',
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
  if crons is null or array_ndims(crons) > 1 or exists (select from unnest(crons) c where c is null) then
    raise exception 'crons must be a list without null' using errcode = 'PB016';
  end if;
  return next pgbackfill._register_dag(
    dag_id,
    jsonb_build_object(
      '__type', 'airflow.timetables.trigger.MultipleCronTriggerTimetable',
      '__var', jsonb_build_object('expressions', crons, 'timezone', timezone, 'interval', 0.0, 'run_immediately', false)
    ),
    array_to_string(crons, ', '), timezone, max_active_runs, description
  );
end
$$;

comment on function pgbackfill.register_dag(text, text[], text, integer, text) is
  'Registers a DAG that runs whenever one of several crons fires, or changes it; returns its newest version. PB014 where Airflow is, PB016 bad id, crons or zone.';

revoke all on function pgbackfill.register_dag(text, text[], text, integer, text) from public;
