-- What is wrong with the rows of backfills themselves.
create or replace function pgbackfill._backfill_anomalies()
returns setof pgbackfill.anomaly
language sql
stable
set search_path = pg_catalog, pg_temp
as $$
  select
    'several_active', b.id, b.dag_id::text, null::integer,
    format('the DAG has several active backfills: %s', o.ids),
    'Cancel all but one of them: pgbackfill repair duplicates --keep oldest (or newest).'
  from (
    select a.dag_id, string_agg(a.id::text, ', ' order by a.id) as ids
    from public.backfill a
    where a.completed_at is null
    group by a.dag_id
    having count(*) > 1
  ) o
  join public.backfill b on b.dag_id = o.dag_id and b.completed_at is null

  union all
  select
    'never_initialized', b.id, b.dag_id::text, null,
    format(
      'it has slots or runs, but initialized_at is null%s',
      case when b.completed_at is not null then format(', and it was completed at %s', pgbackfill._isoformat(b.completed_at)) end
    ),
    'They were written while the guard was switched off. If all of them are there: update backfill set initialized_at = created_at for it.'
  from public.backfill b
  where b.initialized_at is null
    and (
      exists (select from public.backfill_dag_run s where s.backfill_id = b.id)
      or exists (select from public.dag_run r where r.backfill_id = b.id)
    )

  union all
  select
    'paused_after_completion', b.id, b.dag_id::text, null,
    'it is complete, and still paused: a run of it that is cleared would stay queued for ever (#72337)',
    'update backfill set is_paused = false for it.'
  from public.backfill b
  where b.completed_at is not null and b.is_paused;
$$;

comment on function pgbackfill._backfill_anomalies() is
  'several_active, never_initialized and paused_after_completion. A backfill whose runs are being written shows neither its slots nor its runs yet.';

revoke all on function pgbackfill._backfill_anomalies() from public;
