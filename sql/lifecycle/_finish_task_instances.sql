-- Closes the open task instances of a run that is finished by hand.
create or replace function pgbackfill._finish_task_instances(p_dag_id text, p_run_id text, p_run_state text)
returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  update public.task_instance ti
  set state = case when p_run_state = 'success' then 'success' when ti.state = 'running' then 'failed' else 'skipped' end,
      end_date = n.at,
      duration = extract(epoch from n.at - ti.start_date),
      updated_at = n.at
  from (select pgbackfill._now() as at) n
  where ti.dag_id = p_dag_id
    and ti.run_id = p_run_id
    and ti.state in ('success', 'failed', 'skipped', 'upstream_failed', 'removed') is not true;
$$;

comment on function pgbackfill._finish_task_instances(text, text, text) is
  'As Airflow marks a run: of a success all become success; of a failure running ones failed, the others skipped.';

revoke all on function pgbackfill._finish_task_instances(text, text, text) from public;
