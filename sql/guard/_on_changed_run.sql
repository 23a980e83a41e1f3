-- What a new state of a run means for its backfill, and what a new backfill means for a run.
create or replace function pgbackfill._on_changed_run()
returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
as $$
declare
  v_backfill record;
  v_may_update boolean;
  v_error text;
begin
  if new.backfill_id is distinct from old.backfill_id then
    if current_setting('pgbackfill.attached', true) is distinct from new.backfill_id || '/' || new.dag_id then
      perform pgbackfill._check_attachment(new.backfill_id, new.dag_id, new.run_id);
    end if;
    -- Airflow leaves the name of who asked for the run before (#62126); 3.0 has no such column.
    if to_jsonb(new) ? 'triggering_user_name'
      and coalesce(to_jsonb(new) ->> 'triggering_user_name', '') <> coalesce(current_setting('pgbackfill.attached_user_name', true), '')
    then
      execute 'update public.dag_run set triggering_user_name = $1 where id = $2'
      using nullif(current_setting('pgbackfill.attached_user_name', true), ''), new.id;
    end if;
    return null;
  end if;

  if not (old.state = 'queued' and new.state in ('failed', 'success') and new.end_date is null)
    and not (old.state in ('queued', 'failed') and new.state = 'running') and not (old.state = 'running' and new.state = 'failed') then
    return null;
  end if;

  -- A second update of a row in one transaction checks its foreign keys again, which takes this lock and would wait for who
  -- holds the backfill FOR UPDATE, against the lock order. So without it the run stays as it was written.
  perform from public.backfill b where b.id = new.backfill_id for key share skip locked;
  v_may_update := found;

  -- Airflow's cancel forgets the end of the runs that it fails.
  if old.state = 'queued' and new.state <> 'running' then
    if v_may_update then
      update public.dag_run r set end_date = pgbackfill._now() where r.id = new.id;
    end if;
    return null;
  end if;

  -- The scheduler starts and ends many runs in one transaction: an error here would undo all of them.
  begin
    if new.state = 'failed' then
      perform pgbackfill._apply_failure_policy(new.backfill_id, new.id);
    elsif v_may_update then
      select b.completed_at is null as is_live, coalesce(b.is_paused, false) as is_paused, pgbackfill._failure_policy_is_due(b.id) as is_due
      into v_backfill
      from public.backfill b
      where b.id = new.backfill_id;

      -- Airflow chooses the runs before it locks their backfill, and does not look at is_paused again.
      if v_backfill.is_live and old.state = 'queued' and (v_backfill.is_paused or v_backfill.is_due) then
        update public.dag_run r
        set state = old.state,
            start_date = old.start_date,
            end_date = old.end_date
        where r.id = new.id;
        -- Whoever starts runs holds the backfill row (from Airflow 3.1.8 on, #58752), so now it can be done.
        perform pgbackfill._apply_failure_policy(new.backfill_id, null);
      elsif not v_backfill.is_live and pgbackfill._was_cancelled_here(new.backfill_id) then
        -- The others of a promotion whose first run has just cancelled the backfill.
        update public.dag_run r
        set state = 'failed',
            start_date = old.start_date,
            end_date = pgbackfill._now()
        where r.id = new.id;
      end if;
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
  'Trigger: 23503 for a run of another DAG (#50527) that is attached; such a run gets the backfill''s triggering_user_name (#62126). Applies the failure policy when a run fails, holds back a run that starts in a live backfill that is paused or to be stopped, and gives a cancelled run its end_date: there it never raises and never waits.';

revoke all on function pgbackfill._on_changed_run() from public;
