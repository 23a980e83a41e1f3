-- Backfills with their status and slot counts: one, the active ones, or all.
create or replace function pgbackfill._backfill_state(p_backfill_id integer default null, p_active_only boolean default false)
returns setof pgbackfill.backfill_state
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set plan_cache_mode = force_custom_plan  -- a plan for any argument would read all backfills
set jit = off  -- compiling costs more than it could save here
rows 100
as $$
begin
  return query
  select
    b.id, b.dag_id::text, b.from_date, b.to_date, b.dag_run_conf::jsonb, coalesce(b.is_paused, false), b.reprocess_behavior::text, b.max_active_runs,
    b.created_at, b.initialized_at, b.completed_at, b.updated_at,
    to_jsonb(b) ->> 'triggering_user_name',  -- a column from 3.1 on
    case
      when b.completed_at is not null then coalesce(e.status, case when b.is_paused then 'cancelled' else 'completed' end)
      when b.initialized_at is null then 'initializing'
      when b.is_paused then 'paused'
      when s.started then 'running'
      else 'queued'
    end,
    s.has_run - s.cleared, s.cleared, s.skipped,
    coalesce(p.on_failure, 'continue')
  from public.backfill b
  cross join lateral (
    select
      count(r.id)::integer as has_run,
      count(*) filter (where r.id is not null and c.is_cleared)::integer as cleared,
      count(*) filter (where s.exception_reason is not null)::integer as skipped,
      coalesce(bool_or(r.state <> 'queued'), false) as started
    from public.backfill_dag_run s
    left join public.dag_run r on r.id = s.dag_run_id
    cross join lateral (
      -- A run that another type of run, or an earlier backfill, had created.
      select r.run_id not like 'backfill\_\_%' or exists (
        select from public.backfill_dag_run o where o.dag_run_id = s.dag_run_id and o.backfill_id + 0 < s.backfill_id  -- + 0: not by that index
      ) as is_cleared
    ) c
    where s.backfill_id = b.id
      and (p_backfill_id is null or s.backfill_id = p_backfill_id)  -- tells the planner how many slots this one has
  ) s
  left join lateral (
    select case e.event when 'cancelled' then 'cancelled' when 'initialization_failed' then 'abandoned' else 'completed' end as status
    from pgbackfill.event e
    where e.backfill_id = b.id and e.event in ('cancelled', 'completed', 'initialization_failed')
    order by e.id desc
    limit 1
  ) e on true
  left join pgbackfill.failure_policy p on p.backfill_id = b.id and p.applied_at is null and b.completed_at is null
  where (p_backfill_id is null or b.id = p_backfill_id)
    and (not p_active_only or b.completed_at is null)
  order by b.id;
end
$$;

comment on function pgbackfill._backfill_state(integer, boolean) is
  'What the views backfills and active_backfills show; with an id, that backfill alone.';

revoke all on function pgbackfill._backfill_state(integer, boolean) from public;
