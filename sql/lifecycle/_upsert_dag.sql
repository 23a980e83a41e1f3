-- Writes the row of a registered DAG and of the bundle that all registered DAGs belong to.
create or replace function pgbackfill._upsert_dag(
  p_dag_id text,
  p_timetable jsonb,
  p_summary text,
  p_max_active_runs integer,
  p_description text
)
returns void
language plpgsql  -- which reads the body when it is called: before 3.3, Airflow's table lacks some of the columns
set search_path = pg_catalog, pg_temp
as $$
begin
  insert into public.dag_bundle (name, active) values ('pgbackfill', true) on conflict (name) do nothing;

  insert into public.dag (
    dag_id, is_paused, is_stale, bundle_name, description, timetable_type, timetable_summary, timetable_description,
    timetable_partitioned, timetable_periodic, partition_mapper_info, max_active_tasks, max_active_runs, max_consecutive_failed_dag_runs,
    has_task_concurrency_limits
  )
  values (
    p_dag_id, false, false, 'pgbackfill', p_description, p_timetable ->> '__type', p_summary, '',
    p_timetable ->> '__type' like '%.CronPartitionTimetable', true, '{}', 16, p_max_active_runs, 0, false
  )
  on conflict (dag_id) do update
  set description = excluded.description,
      timetable_type = excluded.timetable_type,
      timetable_summary = excluded.timetable_summary,
      timetable_partitioned = excluded.timetable_partitioned,
      max_active_runs = excluded.max_active_runs;
end
$$;

comment on function pgbackfill._upsert_dag(text, jsonb, text, integer, text) is 'The dag row of a registered DAG, new or changed.';

revoke all on function pgbackfill._upsert_dag(text, jsonb, text, integer, text) from public;
