-- Locks all queued runs of a backfill whose row the caller holds, and waits for those who hold some of them.
create or replace function pgbackfill._hold_queued_runs(p_backfill_id integer)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_awaited integer;
begin
  -- Lock order: the backfill row is held, now its queued dag_run rows. Airflow's cancel takes the same rows in whatever order
  -- its plan has, so one run is waited for at a time, holding no other: each block below lets go of what it locked.
  loop
    begin
      with held as (
        select q.id from public.dag_run q where q.backfill_id = p_backfill_id and q.state = 'queued' for update skip locked
      )
      select q.id
      into v_awaited
      from public.dag_run q
      where q.backfill_id = p_backfill_id and q.state = 'queued' and q.id not in (select h.id from held h)
      limit 1;
      exit when v_awaited is null;
      raise exception using errcode = 'triggered_action_exception';
    exception
      when triggered_action_exception then null;
    end;
    begin
      perform from public.dag_run q where q.id = v_awaited for update;
      raise exception using errcode = 'triggered_action_exception';
    exception
      when triggered_action_exception then null;
    end;
  end loop;
end
$$;

comment on function pgbackfill._hold_queued_runs(integer) is
  'Holds every queued run of the backfill until the transaction ends; one that was started meanwhile is let go. 55P03 when the lock_timeout of the session is over.';

revoke all on function pgbackfill._hold_queued_runs(integer) from public;
