-- How far a backfill is.
create type pgbackfill.backfill_progress_state as (
  backfill_id integer,
  dag_id text,
  status text,
  slots integer,
  skipped integer,
  queued integer,
  running integer,
  success integer,
  failed integer,
  deleted integer,
  percent_finished numeric,
  started_at timestamptz,
  last_finished_at timestamptz,
  estimated_completion_at timestamptz
);

comment on type pgbackfill.backfill_progress_state is
  'Counts of slots by what became of them; they add up to slots. percent_finished: of the slots that have a run, 0 to 100. estimated_completion_at: at the pace so far, null until a run has finished and once the backfill is complete.';
