-- A run that a backfill takes over is a run of its DAG.
create trigger pgbackfill_attached_run
after update of backfill_id on public.dag_run
for each row
when (new.backfill_id is not null)
execute function pgbackfill._on_attached_run();

comment on trigger pgbackfill_attached_run on public.dag_run is
  'pgbackfill: refuses a run of another DAG, and sets triggering_user_name.';
