-- Refuses a new run of another DAG in a backfill.
create or replace function pgbackfill._on_new_run()
returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
as $$
begin
  if current_setting('pgbackfill.attached', true) is distinct from new.backfill_id || '/' || new.dag_id then
    perform pgbackfill._check_attachment(new.backfill_id, new.dag_id, new.run_id);
  end if;
  return new;
end
$$;

comment on function pgbackfill._on_new_run() is 'Trigger: 23503 for a run of another DAG, PB012 for a backfill that is no more.';

revoke all on function pgbackfill._on_new_run() from public;
