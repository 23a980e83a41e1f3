-- Lets a backfill be completed only when it is complete, whoever asks, and records what happened to it.
create or replace function pgbackfill._guard_backfill_update()
returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
as $$
declare
  v_event text;
  v_detail jsonb := '{}';
begin
  -- A stale is_paused would keep a run that is cleared later in queued for ever (#72337).
  if old.completed_at is not null then
    new.is_paused := false;
    return new;
  end if;

  if new.completed_at is null then
    v_event := case
      when old.initialized_at is null and new.initialized_at is not null then 'initialized'
      when coalesce(new.is_paused, false) and not coalesce(old.is_paused, false) then 'paused'
      when coalesce(old.is_paused, false) and not coalesce(new.is_paused, false) then 'unpaused'
    end;
  elsif new.is_paused and not (old.is_paused and pgbackfill._was_paused_long_ago(new.id) and pgbackfill._is_initializing(new.id)) then
    -- A cancel, which Airflow announces by pausing first; or the sweep found a paused backfill with nothing left to do.
    new.is_paused := false;
    v_event := case when pgbackfill._was_cut_short(new.id) then 'cancelled' else 'completed' end;
    -- Runs that a creator committed after Airflow's cancel had failed the queued ones, or that were queued again meanwhile.
    -- Waits for a promotion that holds one: it may pass it over, and start it after the cancel.
    perform pgbackfill._hold_queued_runs(new.id);
    update public.dag_run r
    set state = 'failed',
        end_date = new.completed_at,
        updated_at = new.completed_at
    where r.id in (
      select q.id from public.dag_run q where q.backfill_id = new.id and q.state = 'queued' order by q.id for update skip locked
    );
  elsif new.initialized_at is null and not pgbackfill._has_slots(new.id) then
    -- The sweep writes for many backfills at once: an error here would undo all of them, so correct it in silence.
    if pgbackfill._is_initializing(new.id) then
      new.completed_at := null;
      v_event := 'completion_refused';
      v_detail := '{"reason": "its runs are still being written"}';
    else
      v_event := 'initialization_failed';
    end if;
  elsif pgbackfill._has_unfinished_runs(new.id) then
    new.completed_at := null;
    v_event := 'completion_refused';
    v_detail := '{"reason": "it has queued or running runs"}';
  else
    v_event := 'completed';
  end if;

  if new.completed_at is not null then
    delete from pgbackfill.failure_policy p where p.backfill_id = new.id and p.applied_at is null;
  end if;
  if v_event is not null and not (v_event = 'completion_refused' and pgbackfill._last_event(new.id) = v_event) then
    perform pgbackfill._record_event(new.id, new.dag_id, v_event, v_detail);
  end if;
  return new;
end
$$;

comment on function pgbackfill._guard_backfill_update() is
  'Trigger: keeps completed_at null while runs are being written or unfinished, resets is_paused on completion, writes event. Never raises.';

revoke all on function pgbackfill._guard_backfill_update() from public;
