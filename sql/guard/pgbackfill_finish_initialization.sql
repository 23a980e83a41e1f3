-- The first slot of a backfill stands for all of them: they are written in one transaction, numbered from 1.
-- Deferred, because an immediate update would hold the backfill row for the whole creation and make every sweep wait.
create constraint trigger pgbackfill_finish_initialization
after insert on public.backfill_dag_run
deferrable initially deferred
for each row
when (new.sort_ordinal = 1)
execute function pgbackfill._finish_initialization();

comment on trigger pgbackfill_finish_initialization on public.backfill_dag_run is
  'pgbackfill: sets backfill.initialized_at when the runs of a backfill are committed.';
