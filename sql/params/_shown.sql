-- A value as a message may show it: a scalar cut short, and of an array or an object nothing.
create or replace function pgbackfill._shown(p_value jsonb)
returns text
language sql
immutable
as $$
  select case
    when pg_catalog.jsonb_typeof(p_value) in ('array', 'object') then pg_catalog.concat('the ', pg_catalog.jsonb_typeof(p_value))
    when pg_catalog.length(p_value::text) > 40 then pg_catalog.concat(pg_catalog.left(p_value::text, 40), '...')
    else p_value::text
  end;
$$;

comment on function pgbackfill._shown(jsonb) is 'At most 40 characters of a scalar; "the array" or "the object".';

revoke all on function pgbackfill._shown(jsonb) from public;
