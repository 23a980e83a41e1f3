-- Every time of day that the lists of a cron expression make, ascending; a null list is every value.
create or replace function pgbackfill._cron_times(p_hours integer[], p_minutes integer[], p_seconds integer[])
returns time[]
language sql
immutable
set search_path = pg_catalog, pg_temp
as $$
  select array_agg(make_time(h, m, s) order by h, m, s)
  from unnest(coalesce(p_hours, array(select generate_series(0, 23)))) h
  cross join unnest(coalesce(p_minutes, array(select generate_series(0, 59)))) m
  cross join unnest(coalesce(p_seconds, array(select generate_series(0, 59)))) s
$$;

comment on function pgbackfill._cron_times(integer[], integer[], integer[]) is
  'The times of cron_fields.';

revoke all on function pgbackfill._cron_times(integer[], integer[], integer[]) from public;
