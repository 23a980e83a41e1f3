-- Whether a backfill was paused well before now, so that its completion is not the second half of a cancel.
create or replace function pgbackfill._was_paused_long_ago(p_backfill_id integer)
returns boolean
language sql
stable
set search_path = pg_catalog, pg_temp
as $$
  -- Airflow's cancel pauses, fails the queued runs and completes within one request.
  select e.occurred_at < pgbackfill._now() - interval '5 seconds'
  from pgbackfill.event e
  where e.backfill_id = p_backfill_id and e.event = 'paused'
  order by e.id desc
  limit 1;
$$;

comment on function pgbackfill._was_paused_long_ago(integer) is
  'True when the newest pause is more than five seconds old; null when none is recorded.';

revoke all on function pgbackfill._was_paused_long_ago(integer) from public;
