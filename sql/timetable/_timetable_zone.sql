-- The zone of a serialized timetable, as text that "at time zone" takes in just Airflow's sense.
create or replace function pgbackfill._timetable_zone(p_timetable jsonb)
returns text
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_timezone constant jsonb := p_timetable -> 'timezone';
  v_name constant text := v_timezone #>> '{}';
  v_zone text;
begin
  if jsonb_typeof(v_timezone) = 'number' and abs(v_name::numeric) < 86400 and v_name::numeric % 1 = 0 then
    -- Seconds east of UTC; POSIX counts them west.
    return format(
      '<fixed>%s%s', case when v_name::numeric > 0 then '-' else '+' end,
      to_char(make_interval(secs => abs(v_name::numeric)), 'HH24:MI:SS')
    );
  elsif jsonb_typeof(v_timezone) is distinct from 'string' then
    raise exception 'timetable: timezone must be the name of a zone or whole seconds east of UTC, less than a day'
      using errcode = 'PB016';
  end if;

  v_zone := case
    when lower(v_name) = 'utc' then 'UTC'
    -- PostgreSQL takes these for abbreviations, without daylight saving; they are links in the zone database.
    when v_name in ('CET', 'MET') then 'Europe/Brussels'
    when v_name = 'EET' then 'Europe/Athens'
    when v_name = 'WET' then 'Europe/Lisbon'
    when v_name = 'EST' then 'America/Panama'
    when v_name = 'MST' then 'America/Phoenix'
    when v_name = 'HST' then 'Pacific/Honolulu'
    -- It also takes abbreviations and POSIX rules (CEST, ABC-3, Mars/Base+1), which Airflow does not.
    when v_name ~ '^Etc/GMT([+-][0-9]|[+-]1[0-2]|-1[34]|0)$' then v_name
    when v_name ~ '^[A-Z][A-Za-z_-]+(/[A-Z][A-Za-z_-]+){1,2}$' then v_name
    when v_name in (
      'CST6CDT', 'Cuba', 'EST5EDT', 'Egypt', 'Eire', 'GB', 'GB-Eire', 'GMT', 'GMT+0', 'GMT-0', 'GMT0', 'Greenwich',
      'Hongkong', 'Iceland', 'Iran', 'Israel', 'Jamaica', 'Japan', 'Kwajalein', 'Libya', 'MST7MDT', 'NZ', 'NZ-CHAT',
      'Navajo', 'PRC', 'PST8PDT', 'Poland', 'Portugal', 'ROC', 'ROK', 'Singapore', 'Turkey', 'UCT', 'Universal', 'W-SU',
      'Zulu'
    ) then v_name
  end;
  if v_zone is null or 'epoch'::timestamptz at time zone v_zone is null then
    raise invalid_parameter_value;
  end if;
  return v_zone;
exception
  when invalid_parameter_value then
    raise exception 'timetable: unknown timezone "%"', v_name
      using errcode = 'PB016', hint = 'Zones are named as in pg_timezone_names, in upper and lower case: Europe/Berlin.';
end
$$;

comment on function pgbackfill._timetable_zone(jsonb) is
  'Its timezone is the name of a zone or, for a fixed offset, whole seconds. PB016 for any other, and for a zone that the server does not know.';

revoke all on function pgbackfill._timetable_zone(jsonb) from public;
