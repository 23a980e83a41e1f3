-- What is wrong with the number of an array's elements that match the schema of contains.
create or replace function pgbackfill._contains_fault(p_value jsonb, p_schema jsonb, p_path text)
returns text
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_least constant numeric := coalesce(p_schema ->> 'minContains', '1');
  v_most constant numeric := p_schema ->> 'maxContains';
  v_matches bigint;
begin
  select count(*)
  into v_matches
  from jsonb_array_elements(p_value) e
  where pgbackfill._value_fault(e, p_schema -> 'contains', p_path) is null;

  return case
    when v_matches < v_least then format('%s: the array has fewer than %s elements that match contains', p_path, v_least)
    when v_matches > v_most then format('%s: the array has more than %s elements that match contains', p_path, v_most)
  end;
end
$$;

comment on function pgbackfill._contains_fault(jsonb, jsonb, text) is 'A fault by contains with its minContains and maxContains, or null.';

revoke all on function pgbackfill._contains_fault(jsonb, jsonb, text) from public;
