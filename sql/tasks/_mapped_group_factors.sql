-- For each task inside a mapped task group, the product of the lengths of the mapped groups around it.
create or replace function pgbackfill._mapped_group_factors(
  p_dag pgbackfill.serialized_dag,
  p_lengths jsonb,
  out task_id text,
  out factor integer
)
returns setof record
language sql
immutable
set search_path = pg_catalog, pg_temp
as $$
  with recursive node (kind, body, is_mapped, factor) as (
    select 'taskgroup'::text, p_dag.dag -> 'task_group', false, 1
    union all
    select
      c.child ->> 0,
      c.child -> 1,
      n.is_mapped or g.is_mapped_group,
      n.factor * case when g.is_mapped_group then pgbackfill._map_length(c.child -> 1 -> 'expand_input', p_lengths) else 1 end
    from node n
    cross join lateral jsonb_each(n.body -> 'children') as c(name, child)
    cross join lateral (
      select c.child ->> 0 = 'taskgroup' and coalesce((c.child -> 1 ->> 'is_mapped')::boolean, false) as is_mapped_group
    ) g
    where n.kind = 'taskgroup'
  )
  select body #>> '{}', factor
  from node
  where kind = 'operator' and is_mapped;
$$;

comment on function pgbackfill._mapped_group_factors(pgbackfill.serialized_dag, jsonb) is
  'The tasks within mapped task groups and how often each is repeated by them, given {task_id: length} of outputs; factor null when known only at run time.';

revoke all on function pgbackfill._mapped_group_factors(pgbackfill.serialized_dag, jsonb) from public;
