-- What a zone calls its time at p_at, e.g. CEST; of a fixed offset +05:45.
create or replace function pgbackfill._zone_abbreviation(p_zone text, p_at timestamptz)
returns text
language plpgsql
stable
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'  -- so that what is set below ends with the call
as $$
declare
  v_offset constant interval := p_at at time zone p_zone - p_at at time zone 'UTC';
begin
  if p_zone like '<fixed>%' then
    return case when v_offset < interval '0' then '-' else '+' end || to_char(greatest(v_offset, -v_offset), 'HH24:MI');
  end if;

  perform set_config('TimeZone', p_zone, true);
  return to_char(p_at, 'TZ');
end
$$;

comment on function pgbackfill._zone_abbreviation(text, timestamptz) is 'p_zone as _timetable_zone returns it.';

revoke all on function pgbackfill._zone_abbreviation(text, timestamptz) from public;
