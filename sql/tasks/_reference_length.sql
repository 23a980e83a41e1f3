-- How many elements the output has to which an expand() refers, by the outputs whose length is known; null while it is not.
create or replace function pgbackfill._reference_length(p_reference jsonb, p_lengths jsonb)
returns integer
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_reference constant jsonb := pgbackfill._decoded(p_reference);
  v_lengths integer[];
begin
  if not v_reference ? 'type' then
    return (p_lengths ->> (v_reference ->> 'task_id'))::integer;
  elsif v_reference ->> 'type' = 'map' then
    return pgbackfill._reference_length(v_reference -> 'arg', p_lengths);
  end if;

  select array_agg(pgbackfill._reference_length(a, p_lengths))
  into v_lengths
  from jsonb_array_elements(v_reference -> 'args') a;
  if array_position(v_lengths, null) is not null then
    return null;
  end if;
  return case
    when v_reference ->> 'type' = 'concat' then (select sum(l) from unnest(v_lengths) l)
    when v_reference ? 'fillvalue' then (select max(l) from unnest(v_lengths) l)  -- zip(), up to the longest
    else (select min(l) from unnest(v_lengths) l)
  end;
end
$$;

comment on function pgbackfill._reference_length(jsonb, jsonb) is
  'The length of a serialized XComArg (plain, map, zip, concat), given {task_id: length}, as Airflow''s get_task_map_length counts it.';

revoke all on function pgbackfill._reference_length(jsonb, jsonb) from public;
