-- A JSON value in which every decimal is the shortest that stands for the same double, and a whole one is that integer.
create or replace function pgbackfill._with_plain_numbers(p_value jsonb, p_path text, p_depth integer default 0)
returns jsonb
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
set extra_float_digits = 1  -- so that a double is written with as many digits as it takes
as $$
declare
  v_number numeric;
begin
  if p_depth > 64 then
    perform pgbackfill._cannot_check(p_path, 'it compares values that are nested more than 64 deep');
  elsif jsonb_typeof(p_value) = 'number' then
    v_number := pgbackfill._python_number(p_value);
    return to_jsonb(case when v_number = trunc(v_number) then v_number else v_number::float8::text::numeric end);
  end if;
  return case jsonb_typeof(p_value)
    when 'array' then (
      select coalesce(jsonb_agg(pgbackfill._with_plain_numbers(e.value, p_path, p_depth + 1) order by e.position), '[]')
      from jsonb_array_elements(p_value) with ordinality as e(value, position)
    )
    when 'object' then (
      select coalesce(jsonb_object_agg(m.key, pgbackfill._with_plain_numbers(m.value, p_path, p_depth + 1)), '{}')
      from jsonb_each(p_value) m
    )
    else p_value
  end;
end
$$;

comment on function pgbackfill._with_plain_numbers(jsonb, text, integer) is 'Equal numbers, as Python reads them, become the same. PB014 for more than 64 levels.';

revoke all on function pgbackfill._with_plain_numbers(jsonb, text, integer) from public;
