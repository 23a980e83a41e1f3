-- What is wrong with the runs of backfills.
create or replace function pgbackfill._run_anomalies()
returns setof pgbackfill.anomaly
language sql
stable
set search_path = pg_catalog, pg_temp
as $$
  select
    'run_of_another_dag', b.id, b.dag_id::text, r.id,
    format('run "%s" is of DAG "%s"', r.run_id, r.dag_id),
    'Set backfill_id of the run, and dag_run_id of the slot, to null.'
  from (
    select o.backfill_id, o.id from public.dag_run o where o.backfill_id is not null
    union
    select s.backfill_id, s.dag_run_id from public.backfill_dag_run s where s.dag_run_id is not null
  ) p
  join public.backfill b on b.id = p.backfill_id
  join public.dag_run r on r.id = p.id
  where r.dag_id <> b.dag_id

  union all
  select
    'run_without_slot', b.id, b.dag_id::text, r.id,
    format('run "%s" says that it belongs to the backfill, which has no slot for it', r.run_id),
    'A cancel would not reach it. Set its backfill_id to null, or delete the run.'
  from public.dag_run r
  join public.backfill b on b.id = r.backfill_id
  where not exists (select from public.backfill_dag_run s where s.backfill_id = r.backfill_id and s.dag_run_id = r.id)

  union all
  -- A run that is cleared later is queued again, and that is right; so is one whose clearing was under way at that moment,
  -- which a minute before allows for. What the creation itself queued cannot be excused so.
  -- A cancel leaves running runs; a backfill completed before the guard was there does not say whether it was cancelled.
  select
    'unfinished_after_completion', b.id, b.dag_id::text, r.id,
    format('run "%s" has been %s since before the backfill was %s', r.run_id, r.state, coalesce(e.event, 'completed')),
    'The backfill was completed too early. Its runs go on nevertheless; set its completed_at to null to have it active again.'
  from public.dag_run r
  join public.backfill b on b.id = r.backfill_id
  left join lateral (
    select v.event
    from pgbackfill.event v
    where v.backfill_id = b.id and v.event in ('cancelled', 'completed', 'initialization_failed')
    order by v.id desc
    limit 1
  ) e on true
  cross join lateral (select (to_jsonb(r) ->> 'created_at')::timestamptz as created_at) o  -- a column from 3.1 on
  cross join lateral (
    select r.queued_at > greatest(o.created_at, b.initialized_at) and (r.clear_number > 0 or o.created_at is not null) as was_queued_again
  ) c
  where r.state in ('queued', 'running')
    and (r.state = 'queued' or e.event <> 'cancelled')
    and coalesce(r.queued_at, b.created_at) < b.completed_at - case when c.was_queued_again then interval '1 minute' else interval '0' end;
$$;

comment on function pgbackfill._run_anomalies() is
  'run_of_another_dag, run_without_slot, and unfinished_after_completion, which leaves out runs that were queued again after the completion, or less than a minute before.';

revoke all on function pgbackfill._run_anomalies() from public;
