-- The last thing that happened to a backfill.
create or replace function pgbackfill._last_event(p_backfill_id integer)
returns text
language sql
stable
set search_path = pg_catalog, pg_temp
as $$
  select e.event from pgbackfill.event e where e.backfill_id = p_backfill_id order by e.id desc limit 1;
$$;

comment on function pgbackfill._last_event(integer) is 'The newest event of a backfill; null when there is none.';

revoke all on function pgbackfill._last_event(integer) from public;
