-- Pause a live backfill: none of its queued runs starts until it is unpaused; running ones go on.
create or replace function pgbackfill.pause_backfill(backfill_id integer)
returns setof pgbackfill.backfill_state
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set jit = off  -- compiling costs more than it could save here
as $$
begin
  perform pgbackfill._set_paused(backfill_id, true);
  return query select * from pgbackfill._backfill_state(backfill_id);
end
$$;

comment on function pgbackfill.pause_backfill(integer) is
  'Holds back the queued runs of a live backfill and returns it. PB011 unknown id, PB012 already completed, PB016 null. Idempotent.';

revoke all on function pgbackfill.pause_backfill(integer) from public;
