-- The first fault by a keyword that gives members of an object, or their names, schemas of their own.
create or replace function pgbackfill._members_fault(p_value jsonb, p_keyword text, p_operand jsonb, p_schema jsonb, p_path text)
returns text
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_name text;
  v_value jsonb;
  v_schema jsonb;
  v_fault text;
begin
  for v_name, v_value in select m.key, m.value from jsonb_each(p_value) m loop
    v_schema := case p_keyword
      when 'properties' then p_operand -> v_name
      when 'patternProperties' then jsonb_build_object(
        'allOf',
        (select coalesce(jsonb_agg(s.value), '[]') from jsonb_each(p_operand) s where pgbackfill._matches_pattern(v_name, s.key, p_path))
      )
      when 'additionalProperties' then case when pgbackfill._is_additional(v_name, p_schema, p_path) then p_operand end
      when 'propertyNames' then p_operand
    end;
    if v_schema is not null then
      v_fault := pgbackfill._value_fault(
        case p_keyword when 'propertyNames' then to_jsonb(v_name) else v_value end, v_schema, pgbackfill._path_step(p_path, v_name)
      );
      exit when v_fault is not null;
    end if;
  end loop;
  return v_fault;
end
$$;

comment on function pgbackfill._members_fault(jsonb, text, jsonb, jsonb, text) is
  'A fault by properties, patternProperties, additionalProperties or propertyNames (of a name, at its member''s path), or null.';

revoke all on function pgbackfill._members_fault(jsonb, text, jsonb, jsonb, text) from public;
