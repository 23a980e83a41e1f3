-- Gives a run that ends without ever having started the end_date that Airflow's cancel forgets.
create or replace function pgbackfill._on_cancelled_run()
returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  update public.dag_run r set end_date = pgbackfill._now() where r.id = new.id;
  return null;
end
$$;

comment on function pgbackfill._on_cancelled_run() is
  'Trigger: end_date of a run that went from queued to failed or success without one.';

revoke all on function pgbackfill._on_cancelled_run() from public;
