-- The task instances that one run of a DAG version has when it is created.
create or replace function pgbackfill._task_templates(p_dag pgbackfill.serialized_dag, p_rules pgbackfill.release_rules)
returns setof pgbackfill.task_template
language sql
stable
set search_path = pg_catalog, pg_temp
rows 100
as $$
  select
    t.task_id,
    i.map_index,
    m.map_length,
    coalesce((t.attributes ->> 'retries')::integer, 0),
    coalesce(t.attributes ->> 'pool', 'default_pool'),
    coalesce((t.attributes ->> 'pool_slots')::integer, 1),
    coalesce(t.attributes ->> 'queue', 'default'),
    w.priority_weight,
    coalesce(t.attributes ->> 'task_type', 'BaseOperator'),
    case when p_rules.names_operators then coalesce(t.attributes ->> '_operator_name', t.attributes ->> 'task_type', 'BaseOperator') end,
    t.attributes ->> 'executor',
    case
      when coalesce(pgbackfill._decoded(t.attributes -> 'executor_config'), '{}') = '{}' then '\x80057d942e'::bytea
      else pgbackfill._pickled_executor_config(p_dag, t.task_id)
    end,
    coalesce(t.attributes ->> '_task_display_name', t.attributes ->> 'task_display_name', t.task_id),
    to_timestamp((pgbackfill._decoded(t.attributes -> 'start_date') #>> '{}')::double precision),
    to_timestamp((pgbackfill._decoded(t.attributes -> 'end_date') #>> '{}')::double precision)
  from pgbackfill._serialized_tasks(p_dag) t
  join pgbackfill._priority_weights(p_dag) w on w.task_id = t.task_id
  left join pgbackfill._map_lengths(p_dag, '{}') m on m.task_id = t.task_id
  -- An empty or unknown length starts as one instance, which Airflow expands or removes at run time.
  cross join lateral generate_series(
    case when m.map_length > 0 then 0 else -1 end,
    case when m.map_length > 0 then m.map_length - 1 else -1 end
  ) as i(map_index);
$$;

comment on function pgbackfill._task_templates(pgbackfill.serialized_dag, pgbackfill.release_rules) is
  'One task_template per task, or per element where a task is mapped over literals, as Airflow''s DagRun.verify_integrity creates them.';

revoke all on function pgbackfill._task_templates(pgbackfill.serialized_dag, pgbackfill.release_rules) from public;
