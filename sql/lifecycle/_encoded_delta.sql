-- An interval as Airflow serializes a timedelta (seconds) or, where it has months, a relativedelta.
create or replace function pgbackfill._encoded_delta(p_interval interval)
returns jsonb
language sql
immutable
set search_path = pg_catalog, pg_temp
as $$
  select case
    when extract(year from p_interval) = 0 and extract(month from p_interval) = 0
      then to_jsonb(extract(epoch from p_interval))
    else jsonb_build_object(
      'years', extract(year from p_interval), 'months', extract(month from p_interval), 'days', extract(day from p_interval),
      'hours', extract(hour from p_interval), 'minutes', extract(minute from p_interval),
      'seconds', trunc(extract(second from p_interval)),
      'microseconds', extract(microsecond from p_interval) % 1000000
    )
  end
$$;

comment on function pgbackfill._encoded_delta(interval) is
  'A day is 24 hours, as in both. Null for null.';

revoke all on function pgbackfill._encoded_delta(interval) from public;
