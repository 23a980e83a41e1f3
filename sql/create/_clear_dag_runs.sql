-- Clears the runs of the slots to clear, in place: same rows, new attempts, the old ones kept as history.
create or replace function pgbackfill._clear_dag_runs(
  p_backfill_id integer,
  p_dag pgbackfill.serialized_dag,
  p_plan pgbackfill.planned_slot[],
  p_run_on_latest_version boolean,
  p_dag_run_conf jsonb,
  p_triggering_user_name text
)
returns setof pgbackfill.new_dag_run
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_group record;
  v_version pgbackfill.serialized_dag;
  v_templates pgbackfill.task_template[];
  v_runs pgbackfill.new_dag_run[];
begin
  -- One round for each DAG version among the runs; with run_on_latest_version there is only one.
  for v_group in
    select
      case when p_run_on_latest_version then p_dag.dag_version_id else coalesce(r.created_dag_version_id, p_dag.dag_version_id) end
        as dag_version_id,
      array_agg(r.id) as dag_run_ids,
      array_agg(r.run_id::text) as run_ids
    from public.dag_run r
    where r.id in (select s.dag_run_id from unnest(p_plan) s where s.action = 'clear')
    group by 1
  loop
    v_version := case when v_group.dag_version_id = p_dag.dag_version_id then p_dag else pgbackfill._dag(p_dag.dag_id, v_group.dag_version_id) end;
    select array_agg(t) into v_templates from pgbackfill._task_templates(v_version) t;
    perform pgbackfill._check_writable(p_dag, v_templates);

    -- Lock order: the dag_run rows are held since the plan; task_instance rows come last.
    perform pgbackfill._archive_task_instances(p_dag.dag_id, v_group.run_ids);
    select array_agg(r)
    into v_runs
    from pgbackfill._reset_dag_runs(p_backfill_id, v_group.dag_run_ids, v_version, p_run_on_latest_version, p_dag_run_conf, p_triggering_user_name) r;
    perform pgbackfill._reset_task_instances(p_dag.dag_id, v_runs, v_version, v_templates);
    if p_run_on_latest_version then
      perform pgbackfill._mark_removed_tasks(p_dag.dag_id, v_runs, v_templates);
      perform pgbackfill._insert_task_instances(p_dag, v_templates, v_runs, false);
    end if;
    return query select * from unnest(v_runs);
  end loop;
end
$$;

comment on function pgbackfill._clear_dag_runs(integer, pgbackfill.serialized_dag, pgbackfill.planned_slot[], boolean, jsonb, text) is
  'Airflow''s dag.clear and _handle_clear_run for all slots with action clear at once; returns those runs.';

revoke all on function pgbackfill._clear_dag_runs(integer, pgbackfill.serialized_dag, pgbackfill.planned_slot[], boolean, jsonb, text) from public;
