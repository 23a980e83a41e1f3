-- Whether a keyword's value is what _keyword_shape says; schemas inside it are looked at by _check_schema.
create or replace function pgbackfill._has_shape(p_value jsonb, p_shape text)
returns boolean
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  case p_shape
    when 'anything' then
      return true;
    when 'number', 'string', 'boolean', 'array' then
      return jsonb_typeof(p_value) = p_shape;
    when 'pattern', 'dialect' then
      return jsonb_typeof(p_value) = 'string';
    when 'positive number' then
      return jsonb_typeof(p_value) = 'number' and pgbackfill._python_number(p_value) > 0;
    when 'count' then
      return jsonb_typeof(p_value) = 'number' and pgbackfill._python_number(p_value) >= 0
        and pgbackfill._python_number(p_value) = trunc(pgbackfill._python_number(p_value));
    when 'type' then
      return p_value <> '[]' and p_value <@ '["array", "boolean", "integer", "null", "number", "object", "string"]'
        and (jsonb_typeof(p_value) = 'string' or pgbackfill._has_shape(p_value, 'names'));
    when 'names' then
      return jsonb_typeof(p_value) = 'array' and not exists (
        select from jsonb_path_query(p_value, 'strict $[*]') e group by e having count(*) > 1 or jsonb_typeof(e) <> 'string'
      );
    when 'names by name' then
      return jsonb_typeof(p_value) = 'object' and not exists (
        select from jsonb_path_query(p_value, 'strict $.*') e where not pgbackfill._has_shape(e, 'names')
      );
    when 'schema' then
      return jsonb_typeof(p_value) in ('boolean', 'object');
    when 'schemas' then
      return jsonb_typeof(p_value) = 'array' and p_value <> '[]';
    when 'schemas by name', 'schemas by pattern' then
      return jsonb_typeof(p_value) = 'object';
  end case;
end
$$;

comment on function pgbackfill._has_shape(jsonb, text) is 'The rules of JSON Schema''s own schema for one keyword, short of the schemas nested in it.';

revoke all on function pgbackfill._has_shape(jsonb, text) from public;
