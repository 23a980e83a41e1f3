-- The guard looks at every new state, and every new backfill, of a run of a backfill.
-- One AFTER trigger with one plain condition: a BEFORE trigger would lock the row of every update a second time, and PostgreSQL
-- copies each trigger and prepares its condition anew for every statement, also for those on runs without a backfill.
create trigger pgbackfill_changed_run
after update of state, backfill_id on public.dag_run
for each row
when (new.backfill_id is not null)
execute function pgbackfill._on_changed_run();

comment on trigger pgbackfill_changed_run on public.dag_run is
  'pgbackfill: no run of another DAG, the failure policy, and the end_date and triggering_user_name that Airflow forgets.';
