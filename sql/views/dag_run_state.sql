-- A slot of a backfill with its run, as functions return it and the view shows it.
create type pgbackfill.dag_run_state as (
  backfill_id integer,
  sort_ordinal integer,
  dag_id text,
  run_id text,
  dag_run_id integer,
  logical_date timestamptz,
  data_interval_start timestamptz,
  data_interval_end timestamptz,
  run_after timestamptz,
  partition_key text,
  state text,
  exception_reason text,
  conf jsonb,
  queued_at timestamptz,
  start_date timestamptz,
  end_date timestamptz
);

comment on type pgbackfill.dag_run_state is
  'A slot and the state of its run. Without a run, exception_reason says why; without either, the run was deleted.';
