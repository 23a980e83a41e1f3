-- Refuses a DAG with a feature whose rows cannot be written from SQL, by name, before anything is written.
create or replace function pgbackfill._check_writable(
  p_dag pgbackfill.serialized_dag,
  p_templates pgbackfill.task_template[]
)
returns void
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_feature text;
begin
  v_feature := case
    when coalesce(p_dag.dag -> 'deadline', 'null') not in ('null', '[]') then 'deadlines'
    else (
      select
        case
          when t.priority_weight is null then format('the weight rule of task "%s"', t.task_id)
          else format('the executor_config of task "%s", which Airflow must have written once for this DAG version', t.task_id)
        end
      from unnest(p_templates) t
      where t.priority_weight is null or t.executor_config is null
      order by t.task_id
      limit 1
    )
  end;

  if v_feature is not null then
    raise exception 'DAG "%" cannot be backfilled from SQL: %', p_dag.dag_id, v_feature
      using errcode = 'PB014', hint = 'Create this backfill with Airflow itself.';
  end if;
end
$$;

comment on function pgbackfill._check_writable(pgbackfill.serialized_dag, pgbackfill.task_template[]) is
  'PB014 for deadlines, a custom weight rule, or an executor_config that was never written for this DAG version.';

revoke all on function pgbackfill._check_writable(pgbackfill.serialized_dag, pgbackfill.task_template[]) from public;
