-- A run that a creation wrote or cleared, with what its task instances take from it.
create type pgbackfill.new_dag_run as (
  dag_run_id integer,
  run_id text,
  logical_date timestamptz,
  run_type text,
  context_carrier jsonb
);

comment on type pgbackfill.new_dag_run is 'A dag_run as far as its task instances need it: their run_id and trace context (null where they have none), and whether start and end dates of tasks apply.';
