-- The fault of a param's value by the param's schema, or null.
create or replace function pgbackfill._param_fault(p_name text, p_value jsonb, p_param jsonb)
returns text
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_path constant text := to_json(left(p_name, 60));
  v_schema jsonb := p_param -> 'schema';
begin
  if v_schema -> '__type' is not null then  -- Airflow before 2.3 wrapped nothing
    v_schema := pgbackfill._unwrapped(v_schema, v_path);
  end if;
  if v_schema is null or v_schema in ('null', '{}') then
    return null;
  elsif jsonb_build_array(p_value, v_schema) @? 'strict $.** ? (@ > 1.7976931348623157e308 || @ < -1.7976931348623157e308)' then
    return format('%s: a number is out of the range of a double', v_path);
  end if;
  perform pgbackfill._check_schema(v_schema, v_path);
  return pgbackfill._value_fault(p_value, v_schema, v_path);
end
$$;

comment on function pgbackfill._param_fault(text, jsonb, jsonb) is
  'p_param: the param as Airflow serializes it. PB009 for a malformed schema, PB014 for what SQL cannot check.';

revoke all on function pgbackfill._param_fault(text, jsonb, jsonb) from public;
