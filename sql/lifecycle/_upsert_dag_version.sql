-- Writes a new version of a registered DAG unless its newest one is the same.
create or replace function pgbackfill._upsert_dag_version(p_dag_id text, p_data jsonb)
returns integer
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now constant timestamptz := pgbackfill._now();
  v_hash constant text := md5(p_data::text);
  v_version_id constant uuid := pgbackfill._uuid7();
  v_newest record;
begin
  select v.version_number, s.dag_hash
  into v_newest
  from public.dag_version v
  join public.serialized_dag s on s.dag_version_id = v.id
  where v.dag_id = p_dag_id
  order by v.version_number desc
  limit 1;

  if v_newest.dag_hash = v_hash then
    return v_newest.version_number;
  end if;

  insert into public.dag_version (id, version_number, dag_id, bundle_name, created_at, last_updated)
  values (v_version_id, coalesce(v_newest.version_number, 0) + 1, p_dag_id, 'pgbackfill', v_now, v_now);
  insert into public.serialized_dag (id, dag_id, data, created_at, last_updated, dag_hash, dag_version_id)
  values (pgbackfill._uuid7(), p_dag_id, p_data, v_now, v_now, v_hash, v_version_id);
  return coalesce(v_newest.version_number, 0) + 1;
end
$$;

comment on function pgbackfill._upsert_dag_version(text, jsonb) is 'The number of the version that holds this serialized DAG.';

revoke all on function pgbackfill._upsert_dag_version(text, jsonb) from public;
