-- Puts a run back to queued when its backfill was to be paused or cancelled and nobody could do it yet.
create or replace function pgbackfill._on_started_run()
returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  -- The scheduler starts many runs in one transaction: an error here would undo all of them.
  begin
    if pgbackfill._failure_policy_is_due(new.backfill_id) then
      update public.dag_run r
      set state = old.state,
          start_date = old.start_date,
          end_date = old.end_date
      where r.id = new.id;
      -- Whoever starts runs holds the backfill row (from Airflow 3.1.8 on, #58752), so now it can be done.
      perform pgbackfill._apply_failure_policy(new.backfill_id, null);
    end if;
  exception
    when others then
      raise warning 'failure policy of backfill %: %', new.backfill_id, sqlerrm using errcode = sqlstate;
  end;
  return null;
end
$$;

comment on function pgbackfill._on_started_run() is
  'Trigger: no run of a backfill starts after a failure that its policy stops it for, whoever held what when. Never raises, never waits.';

revoke all on function pgbackfill._on_started_run() from public;
