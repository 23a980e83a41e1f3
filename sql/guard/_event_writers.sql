-- The open transactions of others that have written events, or are about to.
create or replace function pgbackfill._event_writers()
returns text[]
language sql
volatile
set search_path = pg_catalog, pg_temp
as $$
  -- An INSERT takes this lock before it draws an id and keeps it until its rows can be seen, or never will be.
  select coalesce(array_agg(l.virtualtransaction), '{}')
  from pg_locks l
  where l.locktype = 'relation'
    and l.database = (select d.oid from pg_database d where d.datname = current_database())
    and l.relation = 'pgbackfill.event'::regclass
    and l.mode = 'RowExclusiveLock'
    and l.pid is distinct from pg_backend_pid();  -- null is a prepared transaction
$$;

comment on function pgbackfill._event_writers() is
  'The virtual ids of the other transactions that hold ROW EXCLUSIVE on event.';

revoke all on function pgbackfill._event_writers() from public;
