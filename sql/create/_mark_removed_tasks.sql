-- Marks the task instances of cleared runs that the DAG version has no longer, or has with other map indexes.
create or replace function pgbackfill._mark_removed_tasks(
  p_dag pgbackfill.serialized_dag,
  p_runs pgbackfill.new_dag_run[],
  p_templates pgbackfill.task_template[],
  p_map_lengths jsonb
)
returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  with task as materialized (
    select distinct t.task_id, t.map_length from unnest(p_templates) t
  )
  update public.task_instance ti
  set state = 'removed',
      updated_at = (select pgbackfill._now())
  from unnest(p_runs) r
  join public.task_instance o on o.dag_id = p_dag.dag_id and o.run_id = r.run_id
  left join task t on t.task_id = o.task_id
  left join jsonb_to_recordset(p_map_lengths) as s(run_id text, task_id text, map_length integer)
    on s.run_id = o.run_id and s.task_id = o.task_id
  where ti.id = o.id
    and case
      when t.task_id is null then true
      when t.map_length is null then false
      when t.map_length >= 0 then o.map_index >= t.map_length or o.map_index < 0
      else o.map_index >= coalesce(s.map_length, 0)
    end;
$$;

comment on function pgbackfill._mark_removed_tasks(pgbackfill.serialized_dag, pgbackfill.new_dag_run[], pgbackfill.task_template[], jsonb) is
  'Airflow''s DagRun._check_for_removed_or_restored_tasks for runs that have just been cleared. p_map_lengths: rows of _resolved_map_lengths, null if none.';

revoke all on function pgbackfill._mark_removed_tasks(pgbackfill.serialized_dag, pgbackfill.new_dag_run[], pgbackfill.task_template[], jsonb) from public;
