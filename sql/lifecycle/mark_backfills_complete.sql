-- The sweep: completes every initialized backfill that has no queued or running run left.
create or replace function pgbackfill.mark_backfills_complete()
returns setof pgbackfill.backfill_state
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set jit = off  -- compiling costs more than it could save here
as $$
declare
  v_completed integer[];
begin
  -- A snapshot taken before the lock would not show the runs that others have queued again since.
  perform pgbackfill._check_read_committed('mark_backfills_complete');

  -- Lock order: backfill rows by id. One that somebody holds is about to change, so it is left to the next sweep.
  with ripe as (
    select b.id
    from public.backfill b
    where b.completed_at is null
      and (
        b.initialized_at is not null
        or exists (select from public.backfill_dag_run s where s.backfill_id = b.id)  -- written while triggers were off
      )
      and not exists (
        select from public.dag_run r where r.backfill_id = b.id and r.state in ('queued', 'running')
      )
    order by b.id
    for no key update skip locked
  ),
  completed as (
    update public.backfill b
    set completed_at = n.at,
        updated_at = n.at
    from ripe
    cross join (select pgbackfill._now() as at) n
    where b.id = ripe.id
    returning b.id, b.completed_at
  )
  select array_agg(c.id)
  into v_completed
  from completed c
  where c.completed_at is not null;  -- the guard looks again, with the row held

  return query
  select s.*
  from unnest(v_completed) as c(id)
  cross join lateral pgbackfill._backfill_state(c.id) s
  order by s.id;
end
$$;

comment on function pgbackfill.mark_backfills_complete() is
  'Completes what is complete and returns those backfills. Never waits for a lock. Airflow''s scheduler does the same every 30 seconds; services with workers of their own call it. PB016 in an isolation level above READ COMMITTED.';

revoke all on function pgbackfill.mark_backfills_complete() from public;
