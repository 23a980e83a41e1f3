-- A JSON value such that two are equal in PostgreSQL exactly where they are equal to jsonschema: 1 and 1.0 are, 1 and true are not.
create or replace function pgbackfill._comparable(p_value jsonb, p_path text)
returns jsonb
language sql
immutable
as $$
  -- A decimal of up to 15 digits is the shortest for its double.
  select case
    when p_value::text operator(pg_catalog.~) '(?=[0-9.]{17})[0-9]+[.][0-9]+' then pgbackfill._with_plain_numbers(p_value, p_path)
    else p_value
  end;
$$;

comment on function pgbackfill._comparable(jsonb, text) is 'The value itself, unless it may hold a decimal of more than 15 digits. PB014 as _with_plain_numbers.';

revoke all on function pgbackfill._comparable(jsonb, text) from public;
