-- A run of a backfill that does not move, and why.
create type pgbackfill.stuck_dag_run as (
  dag_run_id integer,
  run_id text,
  dag_id text,
  backfill_id integer,
  state text,
  queued_at timestamptz,
  reason text,
  hint text,
  blocking_run_ids text[]
);

comment on type pgbackfill.stuck_dag_run is
  'reason, of a queued run: dag_missing, dag_stale, dag_paused, backfill_paused, paused_after_completion, not_due or max_active_runs; of a running run: dag_missing, dag_stale, dag_paused or tasks_finished. blocking_run_ids: for max_active_runs, the runs that hold the places, oldest slot first; else empty.';
