-- Cancel a live backfill: its queued runs fail, running ones go on, and the DAG is free for another backfill.
create or replace function pgbackfill.cancel_backfill(backfill_id integer)
returns setof pgbackfill.backfill_state
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set jit = off  -- compiling costs more than it could save here
as $$
begin
  -- Lock order: the backfill row, then its dag_run rows by id.
  perform pgbackfill._lock_live_backfill(cancel_backfill.backfill_id);
  perform pgbackfill._cancel(cancel_backfill.backfill_id, p_wait => true);

  return query select * from pgbackfill._backfill_state(cancel_backfill.backfill_id);
end
$$;

comment on function pgbackfill.cancel_backfill(integer) is
  'Completes a live backfill at once: queued runs become failed, running ones are left to finish. Returns it. PB011 unknown id, PB012 already completed, PB016 null.';

revoke all on function pgbackfill.cancel_backfill(integer) from public;
