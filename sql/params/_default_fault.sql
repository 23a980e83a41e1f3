-- The fault of a param's default by the param's own schema, or null.
create or replace function pgbackfill._default_fault(p_name text, p_param jsonb)
returns text
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_default jsonb := coalesce(p_param -> 'default', 'null');
begin
  if v_default -> '__type' = '"arg_not_set"' then
    return format('%s: it has no default, so it must be given', to_json(left(p_name, 60)));
  end if;

  -- Airflow unwraps a list only if all its elements are wrapped, and takes any other list as it stands.
  if v_default -> '__type' is not null or jsonb_typeof(v_default) = 'array' and not exists (
    select from jsonb_array_elements(v_default) e where e -> '__type' is null
  ) then
    v_default := pgbackfill._unwrapped(v_default, p_name);
  end if;
  return pgbackfill._param_fault(p_name, v_default, p_param);
exception
  when sqlstate 'PB014' then
    -- Airflow checked the default when it parsed the DAG: one with a schedule cannot have another. What it reads back is the same,
    -- but for such lists as keep the wrappings of their elements.
    if jsonb_typeof(v_default) = 'array' and strpos(v_default::text, '"__type"') > 0 then
      raise;
    end if;
    return null;
end
$$;

comment on function pgbackfill._default_fault(text, jsonb) is
  'A param without a default has one. A default that SQL cannot check has none: a DAG that has a schedule was parsed only because its defaults are valid. PB009 and, for a list that Airflow reads back differently, PB014 as _param_fault.';

revoke all on function pgbackfill._default_fault(text, jsonb) from public;
