-- Whether jsonschema takes a number for a multiple of another: exactly by an integer, and by a division of doubles otherwise.
create or replace function pgbackfill._is_multiple(p_value jsonb, p_divisor jsonb)
returns boolean
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_value constant numeric := pgbackfill._python_number(p_value);
  v_divisor constant numeric := pgbackfill._python_number(p_divisor);
  v_quotient numeric;
begin
  if strpos(p_divisor::text, '.') = 0 and strpos(p_value::text, '.') = 0 then
    return mod(v_value, v_divisor) = 0;
  elsif strpos(p_divisor::text, '.') = 0 then
    return mod(v_value, pgbackfill._python_number((p_divisor::text || '.0')::jsonb)) = 0;  -- a double's modulus is a double
  end if;

  v_quotient := abs(v_value) / v_divisor;
  return case
    when v_value = 0 then true
    when v_quotient > 1.7976931348623157e308 then mod(v_value, v_divisor) = 0  -- its double is infinite: jsonschema takes fractions
    when v_quotient < 1e-300 then v_quotient < 2.4703282292062328e-324  -- its double is zero, which is whole
    else v_value::float8 / v_divisor::float8 = trunc(v_value::float8 / v_divisor::float8)
  end;
end
$$;

comment on function pgbackfill._is_multiple(jsonb, jsonb) is 'jsonschema''s multipleOf, rounding of doubles included: 0.3 is no multiple of 0.1.';

revoke all on function pgbackfill._is_multiple(jsonb, jsonb) from public;
