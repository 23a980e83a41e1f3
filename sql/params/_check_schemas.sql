-- _check_schema for each schema in the value of a keyword that holds several.
create or replace function pgbackfill._check_schemas(p_schemas jsonb, p_shape text, p_path text, p_depth integer)
returns void
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_name text;
  v_schema jsonb;
begin
  if p_shape = 'schemas' then
    for v_name, v_schema in select e.position - 1, e.value from jsonb_array_elements(p_schemas) with ordinality as e(value, position) loop
      perform pgbackfill._check_schema(v_schema, format('%s[%s]', p_path, v_name), p_depth);
    end loop;
    return;
  end if;

  for v_name, v_schema in select m.key, m.value from jsonb_each(p_schemas) m loop
    if p_shape = 'schemas by pattern' and pgbackfill._portable_regex(v_name) is null then
      perform pgbackfill._cannot_check(p_path, format('its schema has the pattern %s', pgbackfill._shown(to_jsonb(v_name))));
    end if;
    perform pgbackfill._check_schema(v_schema, pgbackfill._path_step(p_path, v_name), p_depth);
  end loop;
end
$$;

comment on function pgbackfill._check_schemas(jsonb, text, text, integer) is 'PB009 and PB014 as _check_schema.';

revoke all on function pgbackfill._check_schemas(jsonb, text, text, integer) from public;
