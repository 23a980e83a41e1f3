-- Cancel a live backfill: its queued runs fail, running ones go on, and the DAG is free for another backfill.
create or replace function pgbackfill.cancel_backfill(backfill_id integer)
returns setof pgbackfill.backfill_state
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set jit = off  -- compiling costs more than it could save here
as $$
declare
  v_now constant timestamptz := pgbackfill._now();
begin
  -- Lock order: the backfill row, then its dag_run rows by id.
  perform pgbackfill._lock_live_backfill(cancel_backfill.backfill_id);

  update public.dag_run r
  set state = 'failed',
      end_date = v_now,
      updated_at = v_now
  where r.id in (
    select q.id
    from public.dag_run q
    where q.backfill_id = cancel_backfill.backfill_id and q.state = 'queued'
    order by q.id
    for update
  );

  update public.backfill b
  set is_paused = true,  -- tells the guard that this is a cancel; the guard resets it
      completed_at = v_now,
      updated_at = v_now
  where b.id = cancel_backfill.backfill_id;

  return query select * from pgbackfill._backfill_state(cancel_backfill.backfill_id);
end
$$;

comment on function pgbackfill.cancel_backfill(integer) is
  'Completes a live backfill at once: queued runs become failed, running ones are left to finish. Returns it. PB011 unknown id, PB012 already completed, PB016 null.';

revoke all on function pgbackfill.cancel_backfill(integer) from public;
