-- Applies the failure policy of a backfill when the transaction in which a run of it failed commits.
create or replace function pgbackfill._on_failed_run()
returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  -- The scheduler finishes many runs in one transaction: an error here would undo all of them.
  begin
    perform pgbackfill._apply_failure_policy(new.backfill_id, new.id);
  exception
    when others then
      perform pgbackfill._record_event(
        new.backfill_id, new.dag_id, 'failure_policy_delayed', jsonb_build_object('dag_run_id', new.id, 'sqlstate', sqlstate)
      );
  end;
  return null;
end
$$;

comment on function pgbackfill._on_failed_run() is
  'Deferred trigger: at commit, so that the backfill row is held for no longer than it takes. Never raises, never waits.';

revoke all on function pgbackfill._on_failed_run() from public;
