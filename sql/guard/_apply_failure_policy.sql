-- Pauses or cancels a backfill one of whose runs has failed, if that is its policy and has not been done yet. Never waits.
create or replace function pgbackfill._apply_failure_policy(p_backfill_id integer, p_dag_run_id integer)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_on_failure text;
  v_dag_id text;
  v_is_held boolean;
begin
  select p.on_failure
  into v_on_failure
  from pgbackfill.failure_policy p
  where p.backfill_id = p_backfill_id and p.applied_at is null;
  if not found then
    return;
  end if;

  -- The scheduler holds the dag_run row that has failed, which comes after the backfill row in the lock order. So this must
  -- not wait: who holds the backfill now (a promotion, a pause) leaves it to the next promotion, which asks again.
  select b.dag_id
  into v_dag_id
  from public.backfill b
  where b.id = p_backfill_id and b.completed_at is null
  for no key update skip locked;
  v_is_held := found;

  if v_is_held and v_on_failure = 'cancel' then
    -- A promotion may hold queued runs and pass them over, and start them after the cancel: so all of them or none.
    with held as (
      select q.id from public.dag_run q where q.backfill_id = p_backfill_id and q.state = 'queued' for update skip locked
    )
    select not exists (
      select
      from public.dag_run q
      where q.backfill_id = p_backfill_id and q.state = 'queued' and q.id not in (select h.id from held h)
    )
    into v_is_held;
  end if;

  if not v_is_held then
    perform pgbackfill._record_event(b.id, b.dag_id, 'failure_policy_delayed', jsonb_build_object('dag_run_id', p_dag_run_id))
    from public.backfill b
    where b.id = p_backfill_id
      and b.completed_at is null
      and pgbackfill._last_event(b.id) is distinct from 'failure_policy_delayed';  -- once in a row
    return;
  end if;

  update pgbackfill.failure_policy p
  set applied_at = pgbackfill._now(),
      applied_by = pg_current_xact_id()
  where p.backfill_id = p_backfill_id and p.applied_at is null
  returning p.on_failure into v_on_failure;
  if not found then
    return;  -- somebody did it while we came
  end if;

  perform pgbackfill._record_event(
    p_backfill_id, v_dag_id, 'failure_policy_applied',
    jsonb_build_object(
      'on_failure', v_on_failure,
      'dag_run_id', coalesce(
        p_dag_run_id,
        (
          select (e.detail ->> 'dag_run_id')::integer
          from pgbackfill.event e
          where e.backfill_id = p_backfill_id and e.event = 'failure_policy_delayed'
          order by e.id desc
          limit 1
        )
      )
    )
  );
  if v_on_failure = 'cancel' then
    perform pgbackfill._cancel(p_backfill_id, p_wait => false);
  else
    update public.backfill b
    set is_paused = true,
        updated_at = pgbackfill._now()
    where b.id = p_backfill_id;
  end if;
end
$$;

comment on function pgbackfill._apply_failure_policy(integer, integer) is
  'Once for each policy that was set. Records failure_policy_applied, or failure_policy_delayed while somebody holds the backfill row.';

revoke all on function pgbackfill._apply_failure_policy(integer, integer) from public;
