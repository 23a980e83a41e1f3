-- Runs of backfills that will not move until somebody does something or another run ends, with the first reason.
create or replace function pgbackfill._stuck_dag_runs()
returns setof pgbackfill.stuck_dag_run
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set jit = off  -- compiling costs more than it could save here
rows 100
as $$
begin
  return query
  select
    r.id, r.run_id::text, r.dag_id::text, b.id, r.state::text, r.queued_at, w.reason,
    case w.reason
      when 'dag_missing' then 'Airflow does not know the DAG.'
      when 'dag_stale' then 'The DAG is no longer in Airflow''s bundle.'
      when 'dag_paused' then 'Unpause the DAG.'
      when 'backfill_paused' then 'Unpause the backfill.'
      when 'paused_after_completion' then 'update backfill set is_paused = false for the backfill (#72337).'
      when 'not_due' then 'It starts after its run_after.'
      when 'max_active_runs' then 'It starts when one of blocking_run_ids has ended.'
      else 'All its tasks have ended. Airflow''s scheduler looks at 20 running runs at a time, those of backfills last (#58554).'
    end,
    case when w.reason = 'max_active_runs' then h.run_ids else '{}' end
  from public.dag_run r
  join public.backfill b on b.id = r.backfill_id
  left join public.dag d on d.dag_id = r.dag_id
  cross join lateral (
    select coalesce(array_agg(o.run_id::text order by o.run_after, o.id), '{}') as run_ids
    from public.dag_run o
    where r.state = 'queued' and o.backfill_id = r.backfill_id and o.state = 'running'
  ) h
  cross join lateral (
    select case
      when d.dag_id is null then 'dag_missing'
      when d.is_stale then 'dag_stale'
      when d.is_paused then 'dag_paused'
      when r.state = 'queued' and b.is_paused then case when b.completed_at is null then 'backfill_paused' else 'paused_after_completion' end
      when r.state = 'queued' and r.run_after > (select pgbackfill._now()) then 'not_due'
      when r.state = 'queued' and cardinality(h.run_ids) >= b.max_active_runs then 'max_active_runs'
      when r.state = 'running' and pgbackfill._tasks_ended_long_ago(r.dag_id, r.run_id) then 'tasks_finished'
    end as reason
  ) w
  where r.state in ('queued', 'running') and w.reason is not null
  order by r.queued_at, r.id;
end
$$;

comment on function pgbackfill._stuck_dag_runs() is 'What the view stuck_dag_runs shows.';

revoke all on function pgbackfill._stuck_dag_runs() from public;
