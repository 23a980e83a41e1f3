-- A backfill as functions return it and the views show it.
create type pgbackfill.backfill_state as (
  id integer,
  dag_id text,
  from_date timestamptz,
  to_date timestamptz,
  dag_run_conf jsonb,
  is_paused boolean,
  reprocess_behavior text,
  max_active_runs integer,
  created_at timestamptz,
  initialized_at timestamptz,
  completed_at timestamptz,
  updated_at timestamptz,
  triggering_user_name text,
  status text,
  slots_created integer,
  slots_cleared integer,
  slots_skipped integer,
  on_failure text
);

comment on type pgbackfill.backfill_state is
  'A backfill. status: initializing, queued, running, paused, completed, cancelled or abandoned (its creation failed). slots_*: how many slots got a new run, an existing run cleared, or none. on_failure: what the next failed run does to it: continue, pause or cancel.';
