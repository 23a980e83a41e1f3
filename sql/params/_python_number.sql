-- A JSON number as Python reads it: one with a point is a double, and this is that double's exact value.
create or replace function pgbackfill._python_number(p_number jsonb)
returns numeric
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_number constant numeric := p_number::numeric;
  v_bits bigint;
  v_exponent integer;
  v_mantissa numeric;
begin
  if strpos(p_number::text, '.') = 0 then
    return v_number;
  elsif abs(v_number) < 2.4703282292062328e-324 then  -- rounds to zero, which PostgreSQL's own conversion refuses to do
    return 0;
  end if;

  v_bits := ('x' || encode(float8send(v_number::float8), 'hex'))::bit(64)::bigint;
  v_exponent := (v_bits >> 52) & 2047;
  v_mantissa := (v_bits & 4503599627370495) + case when v_exponent > 0 then 4503599627370496 else 0 end;
  v_exponent := greatest(v_exponent, 1) - 1075;
  return sign(v_number) * v_mantissa * case
    when v_exponent >= 0 then 2::numeric ^ v_exponent
    else 5::numeric ^ -v_exponent * ('1e' || v_exponent)::numeric  -- 2^-n is 5^n / 10^n
  end;
end
$$;

comment on function pgbackfill._python_number(jsonb) is
  'An integer as it is, a number with a decimal point as the exact value of the nearest double. The number must be within a double''s range.';

revoke all on function pgbackfill._python_number(jsonb) from public;
