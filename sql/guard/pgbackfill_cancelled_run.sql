-- A run that ends while it is queued has an end, too.
create trigger pgbackfill_cancelled_run
after update of state on public.dag_run
for each row
when (new.backfill_id is not null and new.end_date is null and old.state = 'queued' and new.state in ('failed', 'success'))
execute function pgbackfill._on_cancelled_run();

comment on trigger pgbackfill_cancelled_run on public.dag_run is
  'pgbackfill: end_date of runs that a cancel fails.';
