-- One version of a DAG as Airflow serialized it, with what else a creation needs of its row in `dag`.
create type pgbackfill.serialized_dag as (
  dag_id text,
  dag_version_id uuid,
  dag jsonb,
  task_defaults jsonb,
  allowed_run_types jsonb,
  bundle_version text,
  is_compressed boolean
);

comment on type pgbackfill.serialized_dag is
  'A DAG version: serialized_dag.data->''dag'', the defaults of its tasks, and allowed_run_types and bundle_version of its row in dag.';
