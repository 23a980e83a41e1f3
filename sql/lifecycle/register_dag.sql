-- Makes a DAG known where no Airflow is: its schedule, and a new version when that has changed.
create or replace function pgbackfill.register_dag(
  dag_id text,
  schedule text,
  timezone text default 'UTC',
  max_active_runs integer default 16,
  create_cron_data_intervals boolean default false,
  description text default null
)
returns setof pgbackfill.registered_dag
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set jit = off  -- compiling costs more than it could save here
as $$
declare
  v_timetable jsonb;
  v_version integer;
begin
  if not exists (select from pgbackfill.host_table) then
    raise exception 'the DAGs of this database are Airflow''s, which registers them itself' using errcode = 'PB014';
  elsif dag_id is null or dag_id !~ '^[\w.-]{1,250}$' or dag_id ~ '\.\.' then
    raise exception 'dag_id must have 1 to 250 letters, digits, dashes, dots or underscores' using errcode = 'PB016';
  elsif max_active_runs is null or max_active_runs < 1 or create_cron_data_intervals is null then
    raise exception 'max_active_runs must be at least 1, and create_cron_data_intervals not null' using errcode = 'PB016';
  end if;

  v_timetable := pgbackfill._cron_timetable(schedule, timezone, create_cron_data_intervals);
  perform pgbackfill._upsert_dag(dag_id, v_timetable, max_active_runs, description);
  v_version := pgbackfill._upsert_dag_version(
    dag_id,
    jsonb_build_object(
      '__version', 3,
      'dag', jsonb_build_object(
        'dag_id', dag_id, 'timetable', v_timetable, 'timezone', timezone, 'tasks', '[]'::jsonb, 'params', '[]'::jsonb,
        'max_active_runs', max_active_runs
      )
    )
  );
  return next row(dag_id, v_version, v_timetable)::pgbackfill.registered_dag;
end
$$;

comment on function pgbackfill.register_dag(text, text, text, integer, boolean, text) is
  'Registers a DAG on a cron schedule in a time zone, or changes it; returns its newest version. create_cron_data_intervals is Airflow''s option of that name: '
  'a run covers the interval up to the next tick instead of standing for its tick. PB014 where Airflow is, PB016 bad id, schedule or zone.';

revoke all on function pgbackfill.register_dag(text, text, text, integer, boolean, text) from public;
