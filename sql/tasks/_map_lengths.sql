-- How many instances each mapped task has, by the outputs whose length is known; -1 while that is known only at run time.
create or replace function pgbackfill._map_lengths(
  p_dag pgbackfill.serialized_dag,
  p_lengths jsonb,
  out task_id text,
  out map_length integer
)
returns setof record
language sql
immutable
set search_path = pg_catalog, pg_temp
as $$
  select
    t.task_id,
    case
      when t.is_mapped then coalesce(
        case when g.task_id is null then 1 else g.factor end
          * pgbackfill._map_length(t.attributes -> (t.attributes ->> '_expand_input_attr'), p_lengths),
        -1
      )
      else coalesce(g.factor, -1)
    end
  from pgbackfill._serialized_tasks(p_dag) t
  left join pgbackfill._mapped_group_factors(p_dag, p_lengths) g on g.task_id = t.task_id
  where t.is_mapped or g.task_id is not null;
$$;

comment on function pgbackfill._map_lengths(pgbackfill.serialized_dag, jsonb) is
  'The mapped tasks, and those in mapped task groups, with their number of instances, given {task_id: length} of other tasks'' outputs.';

revoke all on function pgbackfill._map_lengths(pgbackfill.serialized_dag, jsonb) from public;
