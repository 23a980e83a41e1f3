-- A serialized value without Airflow's wrappings, however deep; what is no JSON in Python either (a tuple, a set, a time) is refused.
create or replace function pgbackfill._unwrapped(p_value jsonb, p_path text, p_depth integer default 0)
returns jsonb
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  if jsonb_typeof(p_value) not in ('array', 'object') or strpos(p_value::text, '{') = 0 then
    return p_value;
  elsif p_depth > 64 then
    perform pgbackfill._cannot_check(p_path, 'it is nested more than 64 deep');
  elsif jsonb_typeof(p_value) = 'array' then
    return (
      select jsonb_agg(pgbackfill._unwrapped(e.value, p_path, p_depth + 1) order by e.position)
      from jsonb_array_elements(p_value) with ordinality as e(value, position)
    );
  elsif p_value -> '__type' is distinct from '"dict"' or jsonb_typeof(p_value -> '__var') is distinct from 'object' then
    perform pgbackfill._cannot_check(p_path, format('it holds a Python %s', coalesce(left(p_value ->> '__type', 40), 'object')));
  elsif strpos(ltrim((p_value -> '__var')::text, '{'), '{') = 0 then
    return p_value -> '__var';  -- nothing nested, as in most schemas
  end if;
  return (
    select coalesce(jsonb_object_agg(m.key, pgbackfill._unwrapped(m.value, p_path, p_depth + 1)), '{}')
    from jsonb_each(p_value -> '__var') as m
  );
end
$$;

comment on function pgbackfill._unwrapped(jsonb, text, integer) is
  'The JSON value that {"__type": "dict", "__var": {...}} stands for. PB014 where it is of another Python type.';

revoke all on function pgbackfill._unwrapped(jsonb, text, integer) from public;
