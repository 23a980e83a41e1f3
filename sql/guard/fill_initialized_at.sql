-- Marks as initialized what Airflow created while the guard was not there to do it.
update public.backfill b
set initialized_at = b.created_at
where b.initialized_at is null
  and (b.completed_at is not null or exists (select from public.backfill_dag_run s where s.backfill_id = b.id));
