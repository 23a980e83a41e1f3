-- The id up to which every event is either visible or never will be.
create or replace function pgbackfill._settled_event_id(p_patience interval)
returns bigint
language plpgsql
volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_deadline constant timestamptz := clock_timestamp() + p_patience;
  v_newest bigint;
  v_writers text[];
begin
  -- Ids are drawn when an event is written and seen when it is committed, so one that is open now may hold a lower id
  -- than the newest that can be seen. Those that begin from here on draw higher ones, and are not waited for.
  select max(e.id) into v_newest from pgbackfill.event e;
  v_writers := pgbackfill._event_writers();
  while cardinality(v_writers) > 0 loop
    if clock_timestamp() >= v_deadline then
      return 0;
    end if;
    perform pg_sleep(0.005);
    v_writers := array(select unnest(v_writers) intersect select unnest(pgbackfill._event_writers()));
  end loop;
  return coalesce(v_newest, 0);
end
$$;

comment on function pgbackfill._settled_event_id(interval) is
  'Waits at most p_patience for the transactions that are writing events now; 0 when one outlasts it. For READ COMMITTED: what it saw must be newer for each look.';

revoke all on function pgbackfill._settled_event_id(interval) from public;
