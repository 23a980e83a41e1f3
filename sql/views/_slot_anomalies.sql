-- What is wrong with the slots of backfills.
create or replace function pgbackfill._slot_anomalies()
returns setof pgbackfill.anomaly
language sql
stable
set search_path = pg_catalog, pg_temp
as $$
  -- A completed backfill without any slot is an orphan of the time before the guard, which counts as initialized since.
  select
    'missing_slots', b.id, b.dag_id::text, null::integer,
    case when n.slots = 0 then 'it is initialized and has no slots'
      else format('its %s slots are not numbered from 1 to %1$s, but from %s to %s', n.slots, n.first, n.last)
    end,
    'Its creation was written in part. Cancel it if it is active, and create it again.'
  from public.backfill b
  left join (
    select s.backfill_id, count(*) as slots, count(distinct s.sort_ordinal) as numbers, min(s.sort_ordinal) as first, max(s.sort_ordinal) as last
    from public.backfill_dag_run s
    group by s.backfill_id
  ) c on c.backfill_id = b.id
  cross join lateral (select coalesce(c.slots, 0) as slots, c.numbers, c.first, c.last) n
  where b.initialized_at is not null
    and case when n.slots = 0 then b.completed_at is null else n.first <> 1 or n.last <> n.slots or n.numbers <> n.slots end

  union all
  -- Only of active ones: a run may be deleted in Airflow, and db clean deletes runs in time; their slots stay, empty.
  select
    'slot_without_run', b.id, b.dag_id::text, null,
    format('slots without a run and without a reason: %s', string_agg(s.sort_ordinal::text, ', ' order by s.sort_ordinal)),
    'Their runs were deleted, and nothing will run for them. Create a backfill of those dates when this one is complete.'
  from public.backfill b
  join public.backfill_dag_run s on s.backfill_id = b.id
  where b.completed_at is null and s.dag_run_id is null and s.exception_reason is null
  group by b.id;
$$;

comment on function pgbackfill._slot_anomalies() is 'missing_slots, and slot_without_run of active backfills.';

revoke all on function pgbackfill._slot_anomalies() from public;
