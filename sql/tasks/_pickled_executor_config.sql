-- The executor_config of a task as Airflow pickled it for this DAG version, from any task instance that has it.
create or replace function pgbackfill._pickled_executor_config(p_dag pgbackfill.serialized_dag, p_task_id text)
returns bytea
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select e.executor_config
    from public.task_instance e
    where e.dag_id = p_dag.dag_id  -- an index on dag_version_id came with 3.3
      and e.task_id = p_task_id
      and e.dag_version_id = p_dag.dag_version_id
      and e.executor_config is not null
    limit 1
  );
end
$$;

comment on function pgbackfill._pickled_executor_config(pgbackfill.serialized_dag, text) is
  'Null while Airflow has not written one: only Python can pickle it.';

revoke all on function pgbackfill._pickled_executor_config(pgbackfill.serialized_dag, text) from public;
