-- Starts queued runs of backfills, oldest slots first, never more of a backfill at once than its max_active_runs.
create or replace function pgbackfill.start_queued_dag_runs(max_dag_runs integer default 20)
returns setof pgbackfill.dag_run_state
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set jit = off  -- compiling costs more than it could save here
as $$
declare
  v_now timestamptz;
  v_backfills integer[];
  v_runs integer[];
begin
  if max_dag_runs is null or max_dag_runs < 1 then
    raise exception 'max_dag_runs must be at least 1, not %', coalesce(max_dag_runs::text, 'null') using errcode = 'PB016';
  end if;
  -- A snapshot taken before the lock would not show the runs that others have started since.
  perform pgbackfill._check_read_committed('start_queued_dag_runs');

  -- Lock order: backfill rows by id, then dag_run rows by id. Holding the backfill makes the count of its running runs
  -- exact, as Airflow's scheduler holds it (#58752); one that another caller holds is left to that caller.
  select array_agg(l.id) into v_backfills from pgbackfill._lock_backfills_with_room(max_dag_runs) as l(id);

  select array_agg(c.id)
  into v_runs
  from (
    select q.id
    from public.backfill b
    cross join lateral (
      select count(*) as running from public.dag_run r where r.backfill_id = b.id and r.state = 'running'
    ) n
    cross join lateral (
      select r.id, s.sort_ordinal, r.run_after
      from public.dag_run r
      join public.backfill_dag_run s on s.dag_run_id = r.id and s.backfill_id = r.backfill_id
      where r.backfill_id = b.id and r.state = 'queued' and r.run_after <= (select pgbackfill._now())
      order by s.sort_ordinal, r.id
      limit greatest(b.max_active_runs - n.running, 0)
    ) q
    where b.id = any (v_backfills)
    order by q.sort_ordinal, q.run_after, q.id
    limit max_dag_runs
  ) c;

  v_now := pgbackfill._now();  -- not earlier: the runs whose end made room have ended by now
  with started as (
    update public.dag_run r
    set state = 'running',
        start_date = coalesce(r.start_date, v_now),
        end_date = null,
        updated_at = v_now
    where r.id in (
      select q.id from public.dag_run q where q.id = any (v_runs) and q.state = 'queued' order by q.id for update skip locked
    )
    returning r.id
  )
  select array_agg(s.id) into v_runs from started s;

  return query
  select *
  from pgbackfill._dag_run_state(p_dag_run_ids => coalesce(v_runs, '{}')) s
  where s.state = 'running'  -- the guard puts back the runs of a backfill that a failure stops
  order by s.sort_ordinal, s.run_after;
end
$$;

comment on function pgbackfill.start_queued_dag_runs(integer) is
  'Makes at most max_dag_runs queued runs of backfills running and returns them. Any number of callers may ask at once: '
  'max_active_runs holds for all of them together, and none waits for another, so an empty answer may only mean that another caller is busy with the backfill. '
  'Held back: runs of a paused live backfill, and of a paused or stale DAG, as Airflow''s scheduler does. PB016 bad number.';

revoke all on function pgbackfill.start_queued_dag_runs(integer) from public;
