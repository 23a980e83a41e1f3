-- The value inside Airflow's {"__type": ..., "__var": ...} wrapping, or the value itself where it is not wrapped.
create or replace function pgbackfill._decoded(p_value jsonb)
returns jsonb
language sql
immutable
as $$
  select case when pg_catalog.jsonb_typeof(p_value) = 'object' and p_value ? '__var' then p_value -> '__var' else p_value end;
$$;

comment on function pgbackfill._decoded(jsonb) is 'A serialized value without the wrapping that carries its Python type.';

revoke all on function pgbackfill._decoded(jsonb) from public;
