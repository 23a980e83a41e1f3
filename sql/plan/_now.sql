-- The one source of the current time, so that a test can replace it.
create or replace function pgbackfill._now()
returns timestamptz
language sql
volatile
set search_path = pg_catalog, pg_temp
as $$
  select clock_timestamp();
$$;

comment on function pgbackfill._now() is 'The current time (UTC instant). Everything that needs the time asks here.';

revoke all on function pgbackfill._now() from public;
