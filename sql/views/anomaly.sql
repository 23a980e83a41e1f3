-- Something that cannot be, and is.
create type pgbackfill.anomaly as (
  anomaly text,
  backfill_id integer,
  dag_id text,
  dag_run_id integer,
  detail text,
  hint text
);

comment on type pgbackfill.anomaly is
  'A rule that a backfill or a run of it breaks. anomaly: several_active, never_initialized, paused_after_completion, missing_slots, slot_without_run, run_of_another_dag, run_without_slot or unfinished_after_completion. dag_run_id: null where it is not about one run.';
