-- Refuses a schema that is none, and one with a keyword or a pattern that SQL does not know, wherever in it.
create or replace function pgbackfill._check_schema(p_schema jsonb, p_path text, p_depth integer default 0)
returns void
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_keyword text;
  v_value jsonb;
  v_shape text;
begin
  if p_depth > 32 then
    perform pgbackfill._cannot_check(p_path, 'its schema is nested more than 32 deep');
  elsif jsonb_typeof(p_schema) = 'boolean' then
    return;
  elsif jsonb_typeof(p_schema) <> 'object' then
    perform pgbackfill._refuse_schema(p_path, format('a schema must be an object or a boolean, not %s', pgbackfill._shown(p_schema)));
  end if;

  for v_keyword, v_value in select m.key, m.value from jsonb_each(p_schema) m loop
    v_shape := pgbackfill._keyword_shape(v_keyword);
    if v_shape is null then
      perform pgbackfill._cannot_check(p_path, format('its schema has the keyword %s', to_json(left(v_keyword, 60))));
    elsif not pgbackfill._has_shape(v_value, v_shape) then
      perform pgbackfill._refuse_schema(p_path, format('"%s" must not be %s', v_keyword, pgbackfill._shown(v_value)));
    elsif v_shape = 'dialect' and v_value <> '"https://json-schema.org/draft/2020-12/schema"' then
      perform pgbackfill._cannot_check(p_path, 'its "$schema" is another than 2020-12');
    elsif v_shape = 'pattern' and pgbackfill._portable_regex(v_value #>> '{}') is null then
      perform pgbackfill._cannot_check(p_path, format('its schema has the pattern %s', pgbackfill._shown(v_value)));
    elsif v_shape = 'schema' then
      perform pgbackfill._check_schema(v_value, pgbackfill._path_step(p_path, v_keyword), p_depth + 1);
    elsif v_shape like 'schemas%' then
      perform pgbackfill._check_schemas(v_value, v_shape, pgbackfill._path_step(p_path, v_keyword), p_depth + 1);
    end if;
  end loop;
end
$$;

comment on function pgbackfill._check_schema(jsonb, text, integer) is
  'PB009 for what is no schema by the rules of JSON Schema 2020-12, PB014 for a keyword, a pattern or a depth that SQL cannot check.';

revoke all on function pgbackfill._check_schema(jsonb, text, integer) from public;
