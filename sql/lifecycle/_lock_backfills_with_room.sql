-- Locks backfills that have a queued run to start and room for it.
create or replace function pgbackfill._lock_backfills_with_room(p_limit integer)
returns setof integer
language sql
set search_path = pg_catalog, pg_temp
as $$
  select b.id
  from public.backfill b
  join public.dag d on d.dag_id = b.dag_id
  where b.id in (
      select r.backfill_id
      from public.dag_run r
      where r.state = 'queued' and r.backfill_id is not null and r.run_after <= (select pgbackfill._now())
    )
    -- is_paused means something only while the backfill is live: a run cleared after a cancel starts (#72337).
    and (b.completed_at is not null or not coalesce(b.is_paused, false))
    and not d.is_paused
    and not d.is_stale
    and (select count(*) from public.dag_run r where r.backfill_id = b.id and r.state = 'running') < b.max_active_runs
  order by b.id
  limit p_limit
  for no key update of b skip locked;
$$;

comment on function pgbackfill._lock_backfills_with_room(integer) is
  'The ids of at most p_limit backfills, each held until the transaction ends. Never waits.';

revoke all on function pgbackfill._lock_backfills_with_room(integer) from public;
