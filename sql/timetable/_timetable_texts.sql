-- A key of a serialized timetable that must be a list of strings.
create or replace function pgbackfill._timetable_texts(p_timetable jsonb, p_key text)
returns text[]
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  if jsonb_typeof(p_timetable -> p_key) is distinct from 'array'
    or jsonb_path_exists(p_timetable -> p_key, 'strict $[*] ? (@.type() != "string")')
  then
    raise exception 'timetable: % must be a list of strings', p_key using errcode = 'PB016';
  end if;
  return array(
    select e.value
    from jsonb_array_elements_text(p_timetable -> p_key) with ordinality as e(value, position)
    order by e.position
  );
end
$$;

comment on function pgbackfill._timetable_texts(jsonb, text) is
  'PB016 if the key is missing or holds anything else.';

revoke all on function pgbackfill._timetable_texts(jsonb, text) from public;
