-- Refuses a DAG with a feature whose rows cannot be written from SQL, by name, before anything is written.
create or replace function pgbackfill._check_writable(p_dag pgbackfill.serialized_dag, p_version pgbackfill.serialized_dag)
returns void
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_feature text;
begin
  -- From what a task says of itself: the templates, whose weights sum over the whole DAG, cost too much for a dry run.
  v_feature := case
    when coalesce(p_dag.dag -> 'deadline', 'null') not in ('null', '[]') then 'deadlines'
    else (
      select
        case
          when f.has_custom_weight then format('the weight rule of task "%s"', t.task_id)
          else format('the executor_config of task "%s", which Airflow must have written once for this DAG version', t.task_id)
        end
      from pgbackfill._serialized_tasks(p_version) t
      cross join lateral (
        select
          coalesce(t.attributes ->> 'weight_rule', 'downstream') not in ('absolute', 'downstream', 'upstream') as has_custom_weight,
          coalesce(pgbackfill._decoded(t.attributes -> 'executor_config'), '{}') <> '{}' as has_executor_config
      ) f
      where f.has_custom_weight
        or (f.has_executor_config and pgbackfill._pickled_executor_config(p_version, t.task_id) is null)
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

comment on function pgbackfill._check_writable(pgbackfill.serialized_dag, pgbackfill.serialized_dag) is
  'PB014 for deadlines, a custom weight rule, or an executor_config that was never written for this DAG version. '
  'p_version: the version that the runs are of.';

revoke all on function pgbackfill._check_writable(pgbackfill.serialized_dag, pgbackfill.serialized_dag) from public;
