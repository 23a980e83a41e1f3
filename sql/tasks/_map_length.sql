-- How many instances an expand() or expand_kwargs() makes, by the outputs whose length is known; null while one is not.
create or replace function pgbackfill._map_length(p_expand_input jsonb, p_lengths jsonb)
returns integer
language sql
immutable
set search_path = pg_catalog, pg_temp
as $$
  select case
    when p_expand_input ->> 'type' = 'list-of-dicts' then
      case
        when jsonb_typeof(v.value) = 'array' then jsonb_array_length(v.value)
        else pgbackfill._reference_length(v.value, p_lengths)
      end
    when v.value = '{}' then 0
    else (
      -- A product, in which one unknown length leaves the whole unknown and a zero makes it zero.
      select case
        when bool_or(l.length is null) then null
        when bool_or(l.length = 0) then 0
        else round(exp(sum(ln(nullif(l.length, 0)::numeric))))::integer
      end
      from jsonb_each(v.value) as a(name, argument)
      cross join lateral (
        select case
          when jsonb_typeof(a.argument) = 'array' then jsonb_array_length(a.argument)
          when a.argument ->> '__type' in ('list', 'tuple', 'set') then jsonb_array_length(a.argument -> '__var')
          when a.argument ->> '__type' = 'dict' then (select count(*)::integer from jsonb_object_keys(a.argument -> '__var'))
          when a.argument ->> '__type' = 'xcomref' then pgbackfill._reference_length(a.argument, p_lengths)
        end as length
      ) l
    )
  end
  from (select pgbackfill._decoded(p_expand_input -> 'value') as value) v;
$$;

comment on function pgbackfill._map_length(jsonb, jsonb) is
  'The length of a serialized expand input, given the lengths of other tasks'' outputs as {task_id: length}. With {} only literals count.';

revoke all on function pgbackfill._map_length(jsonb, jsonb) from public;
