-- One field of a cron expression as the list of what it allows: '*', numbers, 'l' (last day), '15w', '5#2', '5#l'.
create or replace function pgbackfill._cron_field(p_fields text[], p_position integer)
returns text[]
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_field constant text := p_fields[p_position];
  v_size constant integer := ('{60,24,31,12,7,60,130}'::integer[])[p_position];
  v_allowed text[] := '{}';
  v_item text;
  v_values text[];
begin
  if v_field is null then
    return null;
  elsif v_field = '?' and p_position in (3, 5) then
    return '{*}';
  elsif p_position = 3 and v_field ~ '^([0-9]+w|w[0-9]+)$' and trim(v_field, 'w')::numeric between 1 and 31 then
    return array[trim(v_field, 'w')::integer || 'w'];
  end if;

  foreach v_item in array string_to_array(v_field, ',') loop
    v_values := case
      when v_item = '*' or v_item = 'l' and p_position = 3 then array[v_item]
      when p_position = 5 then pgbackfill._cron_weekdays(v_item, cardinality(p_fields))
      else pgbackfill._cron_values(v_item, p_position, cardinality(p_fields))::text[]
    end;
    if v_values is null then
      raise exception 'cron expression "%": "%" is no %', array_to_string(p_fields, ' '), v_item,
        ('{minute,hour,day of month,month,day of week,second,year}'::text[])[p_position]
        using errcode = 'PB016';
    end if;
    v_allowed := v_allowed || v_values;
  end loop;

  -- A full list is the same as '*', but not for one of the two day fields while the other has no '*': both are then
  -- lists, and a day that is in either matches.
  if v_size = (select count(distinct split_part(a, '#', 1)) from unnest(v_allowed) a)
    and not (p_position = 3 and strpos(p_fields[5], '*') = 0)
    and not (p_position = 5 and strpos(p_fields[3], '*') = 0)
  then
    return array['*'] || array(select a from unnest(v_allowed) a where a like '%#%');
  end if;
  return v_allowed;
end
$$;

comment on function pgbackfill._cron_field(text[], integer) is
  'p_fields: the whole expression in lower case; p_position as in _cron_number. Null for a field that is not there. PB016 for what croniter refuses.';

revoke all on function pgbackfill._cron_field(text[], integer) from public;
