-- A relativedelta from its serialized fields; p_sign -1 turns it round.
create or replace function pgbackfill._decode_relativedelta(p_fields jsonb, p_sign integer)
returns pgbackfill.relativedelta
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  c_added constant text[] := '{years,months,days,hours,minutes,seconds,microseconds}';
  c_not_added constant text[] := '{leapdays,year,month,day,hour,minute,second,microsecond,weekday}';
  v_weekday constant jsonb := p_fields -> 'weekday';
  v_delta pgbackfill.relativedelta;
begin
  if p_fields - c_added - c_not_added <> '{}'
    or jsonb_path_exists(p_fields - 'weekday', 'strict $.* ? (@.type() != "number")')
    or not coalesce(v_weekday @@ '$.type() == "array" && $.size() <= 2 && $[0] >= 0 && $[0] <= 6 && !($[1] == 0)', true)
  then
    raise invalid_parameter_value;
  end if;

  -- As in dateutil, the sign turns neither leapdays nor what replaces, and a zero year, month or day is one not given.
  select
    make_interval(secs => p_sign * (
      coalesce(f.days, 0) * 86400 + coalesce(f.hours, 0) * 3600 + coalesce(f.minutes, 0) * 60
        + coalesce(f.seconds, 0) + coalesce(f.microseconds, 0) / 1000000
    )::double precision),
    make_interval(months => p_sign * (coalesce(f.years, 0) * 12 + coalesce(f.months, 0))),
    f.leapdays, nullif(f.year, 0), nullif(f.month, 0), nullif(f.day, 0), f.hour, f.minute, f.second, f.microsecond,
    (v_weekday ->> 0)::integer, coalesce((v_weekday ->> 1)::integer, 1), not p_fields ?| c_not_added
  into v_delta
  from jsonb_to_record(p_fields) as f(
    years integer, months integer, days numeric, leapdays integer, hours numeric, minutes numeric, seconds numeric,
    microseconds numeric, year integer, month integer, day integer, hour integer, minute integer, second integer,
    microsecond integer
  );

  -- Tried once, so that a field that no date can have is found here. 24:00 and 60 seconds are times to PostgreSQL only.
  perform pgbackfill._add_relativedelta('2000-01-01', v_delta);
  if v_delta.hour > 23 or v_delta.second > 59 or v_delta.microsecond not between 0 and 999999 then
    raise invalid_parameter_value;
  end if;
  return v_delta;
exception
  when data_exception then
    raise exception 'timetable: % is no relativedelta', p_fields using errcode = 'PB016';
end
$$;

comment on function pgbackfill._decode_relativedelta(jsonb, integer) is
  'p_fields as Airflow serializes them, without those that are zero. PB016 if they make none.';

revoke all on function pgbackfill._decode_relativedelta(jsonb, integer) from public;
