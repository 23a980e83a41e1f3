-- For each run, how many instances its mapped tasks have whose length is known only at run time, as far as the run knows it.
create or replace function pgbackfill._resolved_map_lengths(
  p_dag pgbackfill.serialized_dag,
  p_dag_run_ids integer[],
  p_templates pgbackfill.task_template[],
  out run_id text,
  out task_id text,
  out map_length integer
)
returns setof record
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
begin
  if to_regclass('public.task_map') is null  -- without Airflow
    or not exists (select from unnest(p_templates) t where t.map_length = -1)
  then
    return;
  end if;

  return query
  with output as (
    -- Of a task that is not mapped, the length of its output is kept.
    select o.run_id, o.task_id, o.length
    from public.dag_run r
    join public.task_map o on o.dag_id = r.dag_id and o.run_id = r.run_id and o.map_index < 0
    join unnest(p_templates) t on t.task_id = o.task_id and t.map_length is null
    where r.id = any (p_dag_run_ids)
    union all
    -- Of a mapped one the outputs are counted, once none of its instances is unfinished.
    select r.run_id, t.task_id, count(x.map_index)::integer
    from public.dag_run r
    cross join pgbackfill._serialized_tasks(p_dag) t
    left join public.xcom x
      on x.dag_run_id = r.id and x.task_id = t.task_id and x.map_index >= 0 and x.key = 'return_value'
    where r.id = any (p_dag_run_ids)
      and t.is_mapped
      and not exists (
        select
        from public.task_instance ti
        where ti.dag_id = r.dag_id and ti.run_id = r.run_id and ti.task_id = t.task_id
          and coalesce(ti.state, '') not in ('success', 'failed', 'skipped', 'upstream_failed', 'removed')
      )
    group by r.run_id, t.task_id
  )
  select l.run_id::text, m.task_id, m.map_length
  from (select o.run_id, jsonb_object_agg(o.task_id, o.length) as lengths from output o group by o.run_id) l
  cross join lateral pgbackfill._map_lengths(p_dag, l.lengths) m
  where m.map_length >= 0;
end
$$;

comment on function pgbackfill._resolved_map_lengths(pgbackfill.serialized_dag, integer[], pgbackfill.task_template[]) is
  'Airflow''s get_mapped_ti_count for runs that are about to be cleared: it looks before their new states are written.';

revoke all on function pgbackfill._resolved_map_lengths(pgbackfill.serialized_dag, integer[], pgbackfill.task_template[]) from public;
