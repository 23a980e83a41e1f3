-- What a new state of a run means for its backfill.
create or replace function pgbackfill._on_changed_run()
returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_error text;
begin
  -- Airflow's cancel forgets the end of the runs that it fails.
  if old.state = 'queued' and new.state in ('failed', 'success') and new.end_date is null then
    update public.dag_run r set end_date = pgbackfill._now() where r.id = new.id;
  end if;

  if not (old.state = 'queued' and new.state = 'running') and not (old.state = 'running' and new.state = 'failed') then
    return null;
  end if;

  -- The scheduler starts and ends many runs in one transaction: an error here would undo all of them.
  begin
    if new.state = 'failed' then
      perform pgbackfill._apply_failure_policy(new.backfill_id, new.id);
    elsif pgbackfill._failure_policy_is_due(new.backfill_id) then
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
      v_error := sqlstate;
  end;
  if v_error is not null then
    perform pgbackfill._record_event(
      new.backfill_id, new.dag_id, 'failure_policy_delayed', jsonb_build_object('dag_run_id', new.id, 'sqlstate', v_error)
    );
  end if;
  return null;
end
$$;

comment on function pgbackfill._on_changed_run() is
  'Trigger: applies the failure policy when a run fails, holds back a run that starts after a failure that stops its backfill, and gives a cancelled run its end_date. Never raises, never waits.';

revoke all on function pgbackfill._on_changed_run() from public;
