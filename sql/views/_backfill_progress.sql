-- How far each backfill is, or one of them.
create or replace function pgbackfill._backfill_progress(p_backfill_id integer default null)
returns setof pgbackfill.backfill_progress_state
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
    b.id, b.dag_id, b.status, c.slots, c.skipped, c.queued, c.running, c.success, c.failed, c.deleted,
    case when c.queued + c.running + c.success + c.failed = 0 then 100.0
      else round(100.0 * (c.success + c.failed) / (c.queued + c.running + c.success + c.failed), 1)
    end,
    c.started_at,
    c.last_finished_at,
    case when b.completed_at is null and not b.is_paused and c.success + c.failed > 0
      then c.last_finished_at
        + (c.last_finished_at - c.started_at) * (c.queued + c.running)::double precision / (c.success + c.failed)
    end
  from pgbackfill._backfill_state(p_backfill_id) b
  cross join lateral (
    select
      count(*)::integer as slots,
      count(*) filter (where s.exception_reason is not null)::integer as skipped,
      count(*) filter (where r.state = 'queued')::integer as queued,
      count(*) filter (where r.state = 'running')::integer as running,
      count(*) filter (where r.state = 'success')::integer as success,
      count(*) filter (where r.state = 'failed')::integer as failed,
      count(*) filter (where s.exception_reason is null and r.id is null)::integer as deleted,
      min(r.start_date) as started_at,
      max(r.end_date) as last_finished_at
    from public.backfill_dag_run s
    left join public.dag_run r on r.id = s.dag_run_id
    where s.backfill_id = b.id
      and (p_backfill_id is null or s.backfill_id = p_backfill_id)  -- as in _backfill_state
  ) c;
end
$$;

comment on function pgbackfill._backfill_progress(integer) is
  'What the view backfill_progress shows; with an id, that backfill alone.';

revoke all on function pgbackfill._backfill_progress(integer) from public;
