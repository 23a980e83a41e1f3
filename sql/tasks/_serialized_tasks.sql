-- The tasks of a serialized DAG, each with its effective attributes: the DAG's task defaults, then its own, then those of partial().
create or replace function pgbackfill._serialized_tasks(
  p_dag pgbackfill.serialized_dag,
  out task_id text,
  out attributes jsonb,
  out is_mapped boolean
)
returns setof record
language sql
immutable
set search_path = pg_catalog, pg_temp
rows 100
as $$
  select
    t.task ->> 'task_id',
    p_dag.task_defaults || t.task || coalesce(t.task -> 'partial_kwargs', '{}'),
    coalesce((t.task ->> '_is_mapped')::boolean, false)
  from jsonb_array_elements(p_dag.dag -> 'tasks') as e(element)
  cross join lateral (select coalesce(e.element -> '__var', e.element) as task) t;
$$;

comment on function pgbackfill._serialized_tasks(pgbackfill.serialized_dag) is
  'One row per task of the DAG version. A missing attribute means the serializer''s own default.';

revoke all on function pgbackfill._serialized_tasks(pgbackfill.serialized_dag) from public;
