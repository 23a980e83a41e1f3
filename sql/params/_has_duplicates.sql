-- Whether an array holds an element twice, as jsonschema compares them.
create or replace function pgbackfill._has_duplicates(p_value jsonb, p_path text)
returns boolean
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_found constant boolean := exists (
    select from jsonb_array_elements(pgbackfill._comparable(p_value, p_path)) e group by e having count(*) > 1
  );
begin
  -- jsonschema sorts arrays, takes true for 1 in that, and so may miss a duplicate.
  if v_found and not p_value @? 'strict $[*] ? (@.type() != "array")' and p_value::text ~ 'true|false' then
    perform pgbackfill._cannot_check(p_path, 'it has arrays with booleans where elements must be unique');
  end if;
  return v_found;
end
$$;

comment on function pgbackfill._has_duplicates(jsonb, text) is 'For uniqueItems. PB014 where jsonschema''s own way of sorting leaves it open.';

revoke all on function pgbackfill._has_duplicates(jsonb, text) from public;
