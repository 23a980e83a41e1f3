-- A key of a serialized timetable that must be a string.
create or replace function pgbackfill._timetable_text(p_timetable jsonb, p_key text)
returns text
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  if jsonb_typeof(p_timetable -> p_key) is distinct from 'string' then
    raise exception 'timetable: % must be a string, not %',
      p_key, coalesce(jsonb_typeof(p_timetable -> p_key), 'missing')
      using errcode = 'PB016';
  end if;
  return p_timetable ->> p_key;
end
$$;

comment on function pgbackfill._timetable_text(jsonb, text) is
  'PB016 if the key is missing or no string.';

revoke all on function pgbackfill._timetable_text(jsonb, text) from public;
