-- For each run, how many instances its mapped tasks have whose length is known only at run time, as far as the run knows it.
create or replace function pgbackfill._resolved_map_lengths(
  p_dag pgbackfill.serialized_dag,
  p_runs pgbackfill.new_dag_run[],
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

  -- A run keeps the lengths of its tasks' outputs when it is cleared. Those of mapped tasks do not count, as they are not finished.
  return query
  select l.run_id, m.task_id, m.map_length
  from (
    select r.run_id, jsonb_object_agg(o.task_id, o.length) as lengths
    from unnest(p_runs) r
    join public.task_map o on o.dag_id = p_dag.dag_id and o.run_id = r.run_id and o.map_index < 0
    join unnest(p_templates) t on t.task_id = o.task_id and t.map_length is null
    group by r.run_id
  ) l
  cross join lateral pgbackfill._map_lengths(p_dag, l.lengths) m
  where m.map_length >= 0;
end
$$;

comment on function pgbackfill._resolved_map_lengths(pgbackfill.serialized_dag, pgbackfill.new_dag_run[], pgbackfill.task_template[]) is
  'Airflow''s get_mapped_ti_count for runs that have just been cleared: by the table task_map, and nothing while an output is missing there.';

revoke all on function pgbackfill._resolved_map_lengths(pgbackfill.serialized_dag, pgbackfill.new_dag_run[], pgbackfill.task_template[]) from public;
