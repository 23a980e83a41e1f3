-- What a cancel does to a live backfill whose row the caller holds.
create or replace function pgbackfill._cancel(p_backfill_id integer, p_wait boolean)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now constant timestamptz := pgbackfill._now();
begin
  -- Lock order: the backfill row is held, now its queued dag_run rows.
  if p_wait then
    perform pgbackfill._hold_queued_runs(p_backfill_id);
  end if;

  update public.dag_run r
  set state = 'failed',
      end_date = v_now,
      updated_at = v_now
  where r.id in (
    select q.id
    from public.dag_run q
    where q.backfill_id = p_backfill_id and q.state = 'queued'
    order by q.id
    for update skip locked
  );

  update public.backfill b
  set is_paused = true,  -- tells the guard that this is a cancel; the guard resets it
      completed_at = v_now,
      updated_at = v_now
  where b.id = p_backfill_id;
end
$$;

comment on function pgbackfill._cancel(integer, boolean) is
  'Fails its queued runs and completes it; running ones go on. Without p_wait, a run that somebody holds (who is just starting it) is left to him, and nothing waits.';

revoke all on function pgbackfill._cancel(integer, boolean) from public;
