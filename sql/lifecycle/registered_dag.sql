-- A DAG that a service registered.
create type pgbackfill.registered_dag as (
  dag_id text,
  version_number integer,
  timetable jsonb
);

comment on type pgbackfill.registered_dag is 'A registered DAG: its newest version and its timetable as Airflow serializes it.';
