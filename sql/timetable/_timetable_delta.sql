-- A timedelta (seconds) or relativedelta (object) of a serialized timetable; p_sign -1 turns it round.
create or replace function pgbackfill._timetable_delta(p_timetable jsonb, p_key text, p_sign integer)
returns pgbackfill.relativedelta
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_value constant jsonb := p_timetable -> p_key;
  v_delta pgbackfill.relativedelta;
begin
  if jsonb_typeof(v_value) = 'object' then
    return pgbackfill._decode_relativedelta(v_value, p_sign);
  elsif jsonb_typeof(v_value) is distinct from 'number' or abs(v_value::numeric) > 86400 * 3652059.0 then
    raise exception 'timetable: % must be a relativedelta or a number of seconds, not %',
      p_key, coalesce(v_value::text, 'missing')
      using errcode = 'PB016', hint = 'A number is at most the days from year 1 to year 9999.';
  end if;

  -- Without days in it, so that adding it to a timestamptz does not depend on the session's TimeZone.
  v_delta.elapsed := make_interval(secs => p_sign * v_value::double precision);
  v_delta.months := interval '0';
  v_delta.only_adds := true;
  return v_delta;
end
$$;

comment on function pgbackfill._timetable_delta(jsonb, text, integer) is
  'PB016 if the key is missing or neither.';

revoke all on function pgbackfill._timetable_delta(jsonb, text, integer) from public;
