-- A new run of a backfill is a run of its DAG.
create trigger pgbackfill_new_run
before insert on public.dag_run
for each row
when (new.backfill_id is not null)  -- short: every insert of a run reads it anew
execute function pgbackfill._on_new_run();

comment on trigger pgbackfill_new_run on public.dag_run is
  'pgbackfill: refuses a run of another DAG.';
