-- The active backfills of the DAGs that have several, each with the one of its DAG that is to be kept.
select
  b.dag_id,
  b.id,
  b.created_at,
  r.queued,
  r.running,
  first_value(b.id) over (
    partition by b.dag_id
    order by case current_setting('pgbackfill.keep') when 'oldest' then b.place else -b.place end
  ) as kept_id
from (
  select
    a.*,
    count(*) over (partition by a.dag_id) as backfills,
    row_number() over (partition by a.dag_id order by a.created_at, a.id) as place
  from public.backfill a
  where a.completed_at is null
) b
cross join lateral (
  select
    count(*) filter (where r.state = 'queued') as queued,
    count(*) filter (where r.state = 'running') as running
  from public.dag_run r
  where r.backfill_id = b.id
) r
where b.backfills > 1
order by b.dag_id, b.place;
