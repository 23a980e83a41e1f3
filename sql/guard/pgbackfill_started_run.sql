-- No run starts after a failure that stops its backfill.
-- All triggers on updates are AFTER triggers: a BEFORE trigger makes every update of the table lock its row twice.
create trigger pgbackfill_started_run
after update of state on public.dag_run
for each row
when (new.backfill_id is not null and new.state = 'running' and old.state = 'queued')
execute function pgbackfill._on_started_run();

comment on trigger pgbackfill_started_run on public.dag_run is
  'pgbackfill: holds back the runs of a backfill that a failure is to pause or cancel.';
