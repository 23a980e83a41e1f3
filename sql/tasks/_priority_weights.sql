-- The effective priority weight of each task, by its weight rule.
create or replace function pgbackfill._priority_weights(
  p_dag pgbackfill.serialized_dag,
  out task_id text,
  out priority_weight integer
)
returns setof record
language sql
immutable
set search_path = pg_catalog, pg_temp
as $$
  with recursive
  task as materialized (
    select
      t.task_id,
      coalesce(t.attributes ->> 'weight_rule', 'downstream') as rule,
      coalesce((t.attributes ->> 'priority_weight')::bigint, 1) as weight,
      t.attributes -> 'downstream_task_ids' as downstream_task_ids
    from pgbackfill._serialized_tasks(p_dag) t
  ),
  edge as materialized (  -- in the direction in which each rule walks, so that the recursion joins by hash
    select k.rule, k.start, k.finish
    from task t
    cross join lateral jsonb_array_elements_text(t.downstream_task_ids) as d(downstream)
    cross join lateral (
      values ('downstream', t.task_id, d.downstream), ('upstream', d.downstream, t.task_id)
    ) as k(rule, start, finish)
  ),
  relative (task_id, rule, relative_id) as (  -- a task counts each relative once, however many paths lead to it
    select t.task_id, t.rule, e.finish
    from task t
    join edge e on e.rule = t.rule and e.start = t.task_id
    union
    select r.task_id, r.rule, e.finish
    from relative r
    join edge e on e.rule = r.rule and e.start = r.relative_id
  )
  select
    t.task_id,
    least(greatest(t.weight + coalesce(sum(w.weight), 0), -2147483648), 2147483647)::integer
  from task t
  left join relative r on r.task_id = t.task_id
  left join task w on w.task_id = r.relative_id
  group by t.task_id, t.rule, t.weight;
$$;

comment on function pgbackfill._priority_weights(pgbackfill.serialized_dag) is
  'Airflow''s weight rules: absolute, downstream (the default; own weight plus that of all tasks below) and upstream. Held within an integer. _check_writable refuses any other.';

revoke all on function pgbackfill._priority_weights(pgbackfill.serialized_dag) from public;
