-- What is wrong with an object, or with a member of it, by one keyword.
create or replace function pgbackfill._object_fault(p_value jsonb, p_keyword text, p_operand jsonb, p_schema jsonb, p_path text)
returns text
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_count constant bigint := (select count(*) from jsonb_object_keys(p_value));
  v_missing text;
begin
  case p_keyword
    when 'properties', 'patternProperties', 'additionalProperties', 'propertyNames' then
      return pgbackfill._members_fault(p_value, p_keyword, p_operand, p_schema, p_path);
    when 'dependentSchemas' then
      return pgbackfill._value_fault(
        p_value,
        jsonb_build_object('allOf', (select coalesce(jsonb_agg(s.value), '[]') from jsonb_each(p_operand) s where p_value ? s.key)),
        p_path
      );
    when 'required' then
      v_missing := (select e from jsonb_array_elements_text(p_operand) e where not p_value ? e limit 1);
    when 'dependentRequired' then
      v_missing := (
        select e
        from jsonb_each(p_operand) m
        cross join lateral jsonb_array_elements_text(m.value) e
        where p_value ? m.key and not p_value ? e
        limit 1
      );
    when 'minProperties' then
      return case when v_count < (p_operand #>> '{}')::numeric then format('%s: the object has fewer than %s members', p_path, p_operand) end;
    when 'maxProperties' then
      return case when v_count > (p_operand #>> '{}')::numeric then format('%s: the object has more than %s members', p_path, p_operand) end;
    else
      return null;
  end case;
  return case when v_missing is not null then format('%s: the object lacks %s', p_path, pgbackfill._shown(to_jsonb(v_missing))) end;
end
$$;

comment on function pgbackfill._object_fault(jsonb, text, jsonb, jsonb, text) is 'The first fault by a keyword for objects, or null. p_schema holds what else the keyword depends on.';

revoke all on function pgbackfill._object_fault(jsonb, text, jsonb, jsonb, text) from public;
