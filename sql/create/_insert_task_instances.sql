-- Inserts the task instances of runs: every template crossed with every run that has no instance of that task yet.
create or replace function pgbackfill._insert_task_instances(
  p_dag pgbackfill.serialized_dag,
  p_templates pgbackfill.task_template[],
  p_runs pgbackfill.new_dag_run[],
  p_runs_are_new boolean
)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_columns constant text := pgbackfill._host_columns(
    'public.task_instance',
    array[
      'id', 'task_id', 'dag_id', 'run_id', 'map_index', 'try_number', 'max_tries', 'hostname', 'unixname', 'pool', 'pool_slots',
      'queue', 'priority_weight', 'operator', 'custom_operator_name', 'executor', 'executor_config', 'updated_at',
      'context_carrier', 'span_status', 'task_display_name', 'dag_version_id'
    ]
  );
  v_missing constant text := case
    when p_runs_are_new then 'true'
    else $missing$
      not exists (
        select from public.task_instance e where e.dag_id = $1 and e.run_id = r.run_id and e.task_id = t.task_id
        offset 0  -- looked up: a join, where statistics know nothing of the DAG, would compare each with each other
      )
      -- Airflow applies a task's own dates to every run but a backfill's.
      and (
        r.run_type = 'backfill'
        or r.logical_date is null
        or (coalesce(t.start_date, '-infinity') <= r.logical_date and r.logical_date <= coalesce(t.end_date, 'infinity'))
      )
    $missing$
  end;
begin
  execute format(
    $insert$
      insert into public.task_instance (%1$s)
      select %1$s
      from (
        select
          pgbackfill._uuid7() as id, t.task_id, $1 as dag_id, r.run_id, t.map_index, 0 as try_number, t.retries as max_tries,
          '' as hostname, $6 as unixname, t.pool, t.pool_slots, t.queue, t.priority_weight, t.operator,
          t.custom_operator_name, t.executor, t.executor_config, $5 as updated_at, r.context_carrier,
          'not_started' as span_status, t.task_display_name, $2 as dag_version_id
        from unnest($4) r
        cross join unnest($3) t
        where %2$s
      ) i
    $insert$,
    v_columns, v_missing
  )
  using p_dag.dag_id, p_dag.dag_version_id, p_templates, p_runs, pgbackfill._now(), session_user::text;
end
$$;

comment on function pgbackfill._insert_task_instances(pgbackfill.serialized_dag, pgbackfill.task_template[], pgbackfill.new_dag_run[], boolean) is
  'Task instances without a state, as Airflow''s TaskInstance.insert_mapping writes them. unixname is the session''s user until a worker writes its own.';

revoke all on function pgbackfill._insert_task_instances(pgbackfill.serialized_dag, pgbackfill.task_template[], pgbackfill.new_dag_run[], boolean) from public;
