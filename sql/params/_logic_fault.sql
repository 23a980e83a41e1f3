-- What is wrong with a value by a keyword that combines schemas: allOf, anyOf, oneOf, not or if.
create or replace function pgbackfill._logic_fault(p_value jsonb, p_keyword text, p_operand jsonb, p_schema jsonb, p_path text)
returns text
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_faults text[];
  v_matches bigint;
begin
  if p_keyword = 'if' then
    return pgbackfill._value_fault(
      p_value,
      coalesce(
        p_schema -> case when pgbackfill._value_fault(p_value, p_operand, p_path) is null then 'then' else 'else' end,
        'true'
      ),
      p_path
    );
  elsif p_keyword = 'not' then
    return case
      when pgbackfill._value_fault(p_value, p_operand, p_path) is null
        then format('%s: %s is what not excludes', p_path, pgbackfill._shown(p_value))
    end;
  end if;

  select array_agg(pgbackfill._value_fault(p_value, e.value, p_path) order by e.position)
  into v_faults
  from jsonb_array_elements(p_operand) with ordinality as e(value, position);
  v_matches := cardinality(array_positions(v_faults, null));
  return case
    when p_keyword = 'allOf' and v_matches < cardinality(v_faults) then (select f from unnest(v_faults) f where f is not null limit 1)
    when p_keyword = 'anyOf' and v_matches = 0 then format('%s: %s matches none of anyOf', p_path, pgbackfill._shown(p_value))
    when p_keyword = 'oneOf' and v_matches <> 1
      then format('%s: %s matches %s of oneOf', p_path, pgbackfill._shown(p_value), case v_matches when 0 then 'none' else 'more than one' end)
  end;
end
$$;

comment on function pgbackfill._logic_fault(jsonb, text, jsonb, jsonb, text) is 'A fault by allOf, anyOf, oneOf, not, or if with the then or else beside it; or null.';

revoke all on function pgbackfill._logic_fault(jsonb, text, jsonb, jsonb, text) from public;
