-- What happened after a given event, none left out: the id of the last one is where to go on.
create or replace function pgbackfill.events_after(
  after bigint default 0,
  backfill_id integer default null,
  dag_id text default null,
  max_events integer default 1000
)
returns setof pgbackfill.event
language plpgsql
volatile  -- each statement sees what has been committed by then
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set plan_cache_mode = force_custom_plan  -- a follower calls it again and again: a plan for any backfill would read them all
rows 100
as $$
declare
  v_last bigint;
begin
  if max_events <= 0 then
    raise exception 'max_events must be positive' using errcode = 'PB016';
  end if;

  if pg_is_in_recovery() then
    raise exception 'events are read on the primary'
      using errcode = 'PB016', hint = 'A standby does not know the open transactions that are waited for.';
  end if;

  if current_setting('transaction_isolation') not in ('read committed', 'read uncommitted') then
    raise exception 'events are read in READ COMMITTED, not in %', upper(current_setting('transaction_isolation'))
      using errcode = 'PB016', hint = 'An older snapshot could not see the events that are waited for.';
  end if;

  -- Also for one backfill alone: not everybody who writes an event holds the backfill's row.
  v_last := pgbackfill._settled_event_id(p_patience => interval '1 second');

  return query
  select e.*
  from pgbackfill.event e
  where e.id > coalesce(events_after.after, 0)
    and e.id <= v_last
    and (events_after.backfill_id is null or e.backfill_id = events_after.backfill_id)
    and (events_after.dag_id is null or e.dag_id = events_after.dag_id)
  order by e.id
  limit events_after.max_events;
end
$$;

comment on function pgbackfill.events_after(bigint, integer, text, integer) is
  'The events whose id is above after, in the order of their ids; with backfill_id or dag_id, those of it alone. Called again with the last id, it returns each event exactly once: '
  'an event is held back until no open transaction can still bring one with a lower id, which it waits for at most a second. Answers with nothing while such a transaction stays open. PB016 bad argument, an isolation level above READ COMMITTED, or a standby.';

revoke all on function pgbackfill.events_after(bigint, integer, text, integer) from public;
