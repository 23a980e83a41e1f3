-- Airflow's rule for dag_run_conf: laid over the defaults of the DAG's params, every param has a value that its schema allows.
create or replace function pgbackfill._check_conf(p_dag pgbackfill.serialized_dag, p_dag_run_conf jsonb)
returns void
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_params constant jsonb := p_dag.dag -> 'params';
  v_name text;
  v_param jsonb;
  v_fault text;
begin
  if v_params is null or v_params in ('[]', '{}', 'null') then
    return;
  end if;

  -- Pairs of name and param; an object before Airflow 2.10. What is no param object is a bare default without a schema.
  for v_name, v_param in
    select p.value ->> 0, p.value -> 1
    from jsonb_array_elements(case jsonb_typeof(v_params) when 'array' then v_params else '[]' end) with ordinality as p(value, position)
    where p.value -> 1 -> '__class' is not null
    union all
    select p.key, p.value
    from jsonb_each(case jsonb_typeof(v_params) when 'object' then v_params else '{}' end) p
    where p.value -> '__class' is not null
  loop
    v_fault := case
      when p_dag_run_conf ? v_name then pgbackfill._param_fault(v_name, p_dag_run_conf -> v_name, v_param)
      else pgbackfill._default_fault(v_name, v_param)
    end;
    if v_fault is not null then
      raise exception 'invalid dag_run_conf for DAG "%": param %', p_dag.dag_id, left(v_fault, 1000)
        using errcode = 'PB009',
          hint = case
            when p_dag_run_conf ? v_name then 'The param''s schema in the DAG says which values it takes.'
            else 'dag_run_conf does not give this param: give it, or mend its default in the DAG.'
          end;
    end if;
  end loop;
end
$$;

comment on function pgbackfill._check_conf(pgbackfill.serialized_dag, jsonb) is
  'PB009 names the first param, in the order of the DAG, whose value is not allowed, the path in it, and why. A key that is no param may hold anything. '
  'PB014 for a param that SQL cannot check.';

revoke all on function pgbackfill._check_conf(pgbackfill.serialized_dag, jsonb) from public;
