-- Makes a plan final: locks the runs it clears (what somebody else holds becomes `in flight`) and names the runs of partitions.
create or replace function pgbackfill._settle_plan(p_plan pgbackfill.planned_slot[], p_reprocess_behavior text)
returns pgbackfill.planned_slot[]
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_to_clear constant integer[] := array(select s.dag_run_id from unnest(p_plan) s where s.action = 'clear');
  v_locked integer[];
  v_plan pgbackfill.planned_slot[];
begin
  if v_to_clear = '{}' and not exists (select from unnest(p_plan) s where s.run_id is null) then
    return p_plan;
  end if;

  -- Lock order: the backfill row (ours, just inserted), now dag_run rows by id, task_instance rows later. Never waits.
  with held as (
    select r.id, r.dag_id, r.run_id
    from public.dag_run r
    where r.id = any (v_to_clear)
      -- It may have changed since. In a form that no index on the state can serve, which would find many other runs.
      and case r.state when 'failed' then true when 'success' then p_reprocess_behavior = 'completed' end
    order by r.id
    for update skip locked
  ),
  held_tasks as (
    -- Airflow's clear writes these first and the run after them: whoever holds one will wait for the run, so do not wait for it.
    select h.id as dag_run_id
    from public.task_instance ti
    join held h on h.dag_id = ti.dag_id and h.run_id = ti.run_id
    for update of ti skip locked
  ),
  difference as (
    -- Counted and not joined: without statistics a join of these would compare each run with each other.
    select h.id, 0 as tasks from held h
    union all
    select h.id, 1 from held h join public.task_instance ti on ti.dag_id = h.dag_id and ti.run_id = h.run_id
    union all
    select t.dag_run_id, -1 from held_tasks t
  )
  select array_agg(f.id)
  into v_locked
  from (
    select d.id from difference d group by d.id having sum(d.tasks) = 0
  ) f;

  select array_agg(
    row(
      s.sort_ordinal, s.logical_date, s.data_interval_start, s.data_interval_end, s.run_after, s.partition_key, s.partition_date,
      coalesce(s.run_id, 'backfill__' || pgbackfill._isoformat(s.run_after) || '__' || s.partition_key || '__' || left(gen_random_uuid()::text, 8)),
      d.action, case when d.action <> s.action then 'in flight' else s.exception_reason end, s.dag_run_id
    )::pgbackfill.planned_slot
    order by s.sort_ordinal
  )
  into v_plan
  from unnest(p_plan) s
  cross join lateral (
    select case when s.action = 'clear' and s.dag_run_id not in (select unnest(v_locked)) then 'skip' else s.action end as action
  ) d;
  return v_plan;
end
$$;

comment on function pgbackfill._settle_plan(pgbackfill.planned_slot[], text) is
  'The plan with what could not be locked as skip, in flight, and a random run_id for each new run of a partition. The locked runs stay locked until the transaction ends.';

revoke all on function pgbackfill._settle_plan(pgbackfill.planned_slot[], text) from public;
