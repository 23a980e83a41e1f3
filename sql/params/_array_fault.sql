-- What is wrong with an array, or with an element of it, by one keyword.
create or replace function pgbackfill._array_fault(p_value jsonb, p_keyword text, p_operand jsonb, p_schema jsonb, p_path text)
returns text
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_count constant integer := jsonb_array_length(p_value);
  v_first integer := 0;
  v_fault text;
begin
  case p_keyword
    when 'items', 'prefixItems' then
      if p_keyword = 'items' then
        v_first := coalesce(jsonb_array_length(p_schema -> 'prefixItems'), 0);
      end if;
      for v_index in v_first .. v_count - 1 loop
        v_fault := pgbackfill._value_fault(
          p_value -> v_index,
          case p_keyword when 'items' then p_operand else coalesce(p_operand -> v_index, 'true') end,
          format('%s[%s]', p_path, v_index)
        );
        exit when v_fault is not null;
      end loop;
      return v_fault;
    when 'contains' then
      return pgbackfill._contains_fault(p_value, p_schema, p_path);
    when 'minItems' then
      v_fault := case when v_count < (p_operand #>> '{}')::numeric then format('fewer than %s elements', p_operand) end;
    when 'maxItems' then
      v_fault := case when v_count > (p_operand #>> '{}')::numeric then format('more than %s elements', p_operand) end;
    when 'uniqueItems' then
      v_fault := case when p_operand::boolean and pgbackfill._has_duplicates(p_value, p_path) then 'an element twice' end;
    else
      return null;
  end case;
  return case when v_fault is not null then format('%s: the array has %s', p_path, v_fault) end;
end
$$;

comment on function pgbackfill._array_fault(jsonb, text, jsonb, jsonb, text) is 'The first fault by a keyword for arrays, or null. p_schema holds what else the keyword depends on.';

revoke all on function pgbackfill._array_fault(jsonb, text, jsonb, jsonb, text) from public;
