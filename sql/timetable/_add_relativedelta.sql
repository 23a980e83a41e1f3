-- p_at plus a relativedelta, as dateutil adds it: replace, add months, add the rest, go to the weekday.
create or replace function pgbackfill._add_relativedelta(p_at timestamp, p_delta pgbackfill.relativedelta)
returns timestamp
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_month constant timestamp := make_timestamp(
    coalesce(p_delta.year, extract(year from p_at)::integer),
    coalesce(p_delta.month, extract(month from p_at)::integer),
    1, 0, 0, 0
  ) + p_delta.months;
  v_date constant date := make_date(
    extract(year from v_month)::integer,
    extract(month from v_month)::integer,
    least(
      coalesce(p_delta.day, extract(day from p_at)::integer),
      extract(day from v_month + interval '1 month -1 day')::integer
    )
  );
  v_time constant time := make_time(
    coalesce(p_delta.hour, extract(hour from p_at)::integer),
    coalesce(p_delta.minute, extract(minute from p_at)::integer),
    coalesce(p_delta.second, floor(extract(second from p_at))::integer)
      + coalesce(p_delta.microsecond, extract(microsecond from p_at)::integer % 1000000) / 1000000.0::double precision
  );
  v_february_end constant date := make_date(extract(year from v_date)::integer, 3, 1) - 1;
  v_leapdays constant integer := case
    when v_date > v_february_end and extract(day from v_february_end) = 29
      then coalesce(p_delta.leapdays, 0)
    else 0
  end;
  v_result constant timestamp := v_date + v_leapdays + v_time + p_delta.elapsed;
  v_weekday constant integer := extract(isodow from v_result)::integer - 1;
begin
  return v_result + make_interval(days => case
    when p_delta.weekday is null then 0
    when p_delta.nth_weekday < 0 then (p_delta.nth_weekday + 1) * 7 - (v_weekday - p_delta.weekday + 7) % 7
    else (p_delta.nth_weekday - 1) * 7 + (p_delta.weekday - v_weekday + 7) % 7
  end);
end
$$;

comment on function pgbackfill._add_relativedelta(timestamp, pgbackfill.relativedelta) is
  'Raises a data_exception for a field that no date can have.';

revoke all on function pgbackfill._add_relativedelta(timestamp, pgbackfill.relativedelta) from public;
