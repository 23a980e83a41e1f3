-- What is wrong with a value by a keyword that says what it may be: type, enum or const.
create or replace function pgbackfill._identity_fault(p_value jsonb, p_keyword text, p_operand jsonb, p_path text)
returns text
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  if p_keyword = 'type' then
    if p_operand @> to_jsonb(jsonb_typeof(p_value)) then  -- an array contains a scalar that is one of its elements
      return null;
    elsif jsonb_typeof(p_value) = 'number' and p_operand @> '"integer"'
      and pgbackfill._python_number(p_value) = trunc(pgbackfill._python_number(p_value)) then
      return null;
    end if;
    return format(
      '%s: %s is not of type %s', p_path, pgbackfill._shown(p_value), translate(replace(p_operand::text, ', ', ' or '), '[]"', '')
    );
  elsif p_keyword = 'enum' then
    if pgbackfill._comparable(p_value, p_path) in (select e from jsonb_array_elements(pgbackfill._comparable(p_operand, p_path)) e) then
      return null;
    end if;
    return format('%s: %s is none of the values of enum', p_path, pgbackfill._shown(p_value));
  elsif pgbackfill._comparable(p_operand, p_path) <> pgbackfill._comparable(p_value, p_path) then
    return format('%s: %s is not the value of const', p_path, pgbackfill._shown(p_value));
  end if;
  return null;
end
$$;

comment on function pgbackfill._identity_fault(jsonb, text, jsonb, text) is 'A fault by type, enum or const, or null. A number without a fraction is an integer; a boolean is no number.';

revoke all on function pgbackfill._identity_fault(jsonb, text, jsonb, text) from public;
