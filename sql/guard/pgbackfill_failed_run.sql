-- A failed run may pause or cancel its backfill.
-- Deferred, so that the scheduler's transaction holds the backfill row only while it commits.
create constraint trigger pgbackfill_failed_run
after update of state on public.dag_run
deferrable initially deferred
for each row
when (new.backfill_id is not null and new.state = 'failed' and old.state = 'running')
execute function pgbackfill._on_failed_run();

comment on trigger pgbackfill_failed_run on public.dag_run is
  'pgbackfill: applies the failure policy of a backfill.';
