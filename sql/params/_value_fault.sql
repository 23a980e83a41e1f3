-- The first fault of a value by a schema, with its path; null where there is none. The schema has passed _check_schema.
create or replace function pgbackfill._value_fault(p_value jsonb, p_schema jsonb, p_path text)
returns text
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_type constant text := jsonb_typeof(p_value);
  v_keyword text;
  v_operand jsonb;
  v_fault text;
begin
  if jsonb_typeof(p_schema) = 'boolean' then
    return case when not p_schema::boolean then format('%s: no value is allowed', p_path) end;
  end if;

  for v_keyword, v_operand in select m.key, m.value from jsonb_each(p_schema) m loop
    v_fault := case
      when v_keyword in ('type', 'enum', 'const') then pgbackfill._identity_fault(p_value, v_keyword, v_operand, p_path)
      when v_keyword in ('allOf', 'anyOf', 'oneOf', 'not', 'if') then pgbackfill._logic_fault(p_value, v_keyword, v_operand, p_schema, p_path)
      when v_type = 'number' then pgbackfill._number_fault(p_value, v_keyword, v_operand, p_path)
      when v_type = 'string' then pgbackfill._string_fault(p_value, v_keyword, v_operand, p_path)
      when v_type = 'array' then pgbackfill._array_fault(p_value, v_keyword, v_operand, p_schema, p_path)
      when v_type = 'object' then pgbackfill._object_fault(p_value, v_keyword, v_operand, p_schema, p_path)
    end;
    if v_fault is not null then
      return v_fault;
    end if;
  end loop;
  return null;
end
$$;

comment on function pgbackfill._value_fault(jsonb, jsonb, text) is
  'In one line: the path of what is wrong, and why. It descends by the schema, whose depth _check_schema bounds. PB014 where a value makes a keyword undecidable.';

revoke all on function pgbackfill._value_fault(jsonb, jsonb, text) from public;
