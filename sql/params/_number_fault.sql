-- What is wrong with a number by one keyword.
create or replace function pgbackfill._number_fault(p_value jsonb, p_keyword text, p_operand jsonb, p_path text)
returns text
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_reason text;
begin
  if p_keyword = 'multipleOf' then
    v_reason := case when not pgbackfill._is_multiple(p_value, p_operand) then 'no multiple of' end;
  elsif p_keyword in ('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum') then
    v_reason := case
      when p_keyword = 'minimum' and pgbackfill._python_number(p_value) < pgbackfill._python_number(p_operand) then 'less than'
      when p_keyword = 'maximum' and pgbackfill._python_number(p_value) > pgbackfill._python_number(p_operand) then 'more than'
      when p_keyword = 'exclusiveMinimum' and pgbackfill._python_number(p_value) <= pgbackfill._python_number(p_operand) then 'not more than'
      when p_keyword = 'exclusiveMaximum' and pgbackfill._python_number(p_value) >= pgbackfill._python_number(p_operand) then 'not less than'
    end;
  end if;
  return case
    when v_reason is not null then format('%s: %s is %s %s', p_path, pgbackfill._shown(p_value), v_reason, pgbackfill._shown(p_operand))
  end;
end
$$;

comment on function pgbackfill._number_fault(jsonb, text, jsonb, text) is 'A fault by a bound or by multipleOf, or null.';

revoke all on function pgbackfill._number_fault(jsonb, text, jsonb, text) from public;
