-- One version of a DAG, the latest when none is named; of an unknown version, nothing.
create or replace function pgbackfill._dag(p_dag_id text, p_dag_version_id uuid default null)
returns pgbackfill.serialized_dag
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_dag pgbackfill.serialized_dag;
begin
  if p_dag_id is null or p_dag_id = '' then
    raise exception 'dag_id must not be empty' using errcode = 'PB016';
  end if;

  -- The row of `dag` as JSON, because 3.0 and 3.1 have no allowed_run_types.
  select
    v.dag_id,
    v.id,
    s.data::jsonb -> 'dag',
    coalesce(s.data::jsonb -> 'client_defaults' -> 'tasks', '{}'),
    nullif(to_jsonb(d) -> 'allowed_run_types', 'null'),
    case when not coalesce((s.data::jsonb -> 'dag' ->> 'disable_bundle_versioning')::boolean, false) then d.bundle_version end,
    s.data is null
  into v_dag
  from public.dag_version v
  join public.serialized_dag s on s.dag_version_id = v.id
  left join public.dag d on d.dag_id = v.dag_id
  where v.dag_id = p_dag_id
    and (p_dag_version_id is null or v.id = p_dag_version_id)
  order by v.version_number desc
  limit 1;

  if v_dag.dag_version_id is null and p_dag_version_id is null then
    raise exception 'DAG "%" not found', p_dag_id
      using errcode = 'PB002', hint = 'Is the dag_id right, and has the DAG been parsed, or registered where no Airflow is?';
  elsif v_dag.is_compressed then
    raise exception 'DAG "%" is stored compressed, which SQL cannot read', p_dag_id
      using errcode = 'PB014', hint = 'Set [core] compress_serialized_dags = False in Airflow and let the DAG be parsed again.';
  end if;
  return v_dag;
end
$$;

comment on function pgbackfill._dag(text, uuid) is
  'A version of a DAG, by default the latest by version_number, as Airflow chooses it. PB002 unknown DAG, PB014 compressed, PB016 empty dag_id.';

revoke all on function pgbackfill._dag(text, uuid) from public;
