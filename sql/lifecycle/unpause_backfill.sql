-- Unpause a live backfill: its queued runs start again as max_active_runs allows.
create or replace function pgbackfill.unpause_backfill(backfill_id integer)
returns setof pgbackfill.backfill_state
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set jit = off  -- compiling costs more than it could save here
as $$
begin
  perform pgbackfill._set_paused(backfill_id, false);
  return query select * from pgbackfill._backfill_state(backfill_id);
end
$$;

comment on function pgbackfill.unpause_backfill(integer) is
  'Lets the queued runs of a live backfill start again and returns it. PB011 unknown id, PB012 already completed, PB016 null. Idempotent.';

revoke all on function pgbackfill.unpause_backfill(integer) from public;
