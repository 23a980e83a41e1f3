-- Whether a run has tasks, and all of them ended so long ago that its scheduler should have noticed.
create or replace function pgbackfill._tasks_ended_long_ago(p_dag_id text, p_run_id text)
returns boolean
language sql
stable
set search_path = pg_catalog, pg_temp
as $$
  -- A scheduler looks every few seconds. A run without tasks belongs to a worker that knows what it does.
  select coalesce(
    bool_and(ti.state in ('success', 'failed', 'skipped', 'upstream_failed', 'removed') is true)
      and max(coalesce(ti.end_date, ti.updated_at)) < (select pgbackfill._now()) - interval '5 minutes',
    false
  )
  from public.task_instance ti
  where ti.dag_id = p_dag_id and ti.run_id = p_run_id;
$$;

comment on function pgbackfill._tasks_ended_long_ago(text, text) is
  'True when every task instance of the run ended more than five minutes ago, and there is one.';

revoke all on function pgbackfill._tasks_ended_long_ago(text, text) from public;
