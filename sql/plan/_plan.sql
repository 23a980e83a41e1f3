-- Decides each slot by the run that exists for it: the one rule that a dry run shows and a creation carries out.
create or replace function pgbackfill._plan(p_dag_id text, p_slots pgbackfill.dag_run_info[], p_reprocess_behavior text)
returns pgbackfill.planned_slot[]
language plpgsql
stable
set search_path = pg_catalog, pg_temp
-- One look at the runs of the window and a hash of them, whatever the statistics say of the DAG: a nested loop compares each slot
-- with each run.
set plan_cache_mode = force_generic_plan
set enable_nestloop = off
as $$
declare
  v_first constant timestamptz := (select min(coalesce(s.logical_date, s.partition_date)) from unnest(p_slots) s);
  v_last constant timestamptz := (select max(coalesce(s.logical_date, s.partition_date)) from unnest(p_slots) s);
begin
  -- Two statements, because Airflow before 3.2 has no partition_date and plpgsql plans only the one that it reaches.
  if p_slots[1].partition_key is null then
    return array(
      select row(
        s.position, s.logical_date, s.data_interval_start, s.data_interval_end, s.run_after, s.partition_key, s.partition_date,
        coalesce(r.run_id, 'backfill__' || pgbackfill._isoformat(s.run_after)),
        d.action,
        d.exception_reason,
        r.id
      )::pgbackfill.planned_slot
      from unnest(p_slots) with ordinality
        as s(logical_date, data_interval_start, data_interval_end, run_after, partition_key, partition_date, position)
      left join public.dag_run r
        on r.dag_id = p_dag_id
        and r.logical_date = s.logical_date
        and r.logical_date between v_first and v_last
      cross join lateral pgbackfill._slot_decision(r.id is not null, r.state, p_reprocess_behavior, false) d
      order by s.position
    );
  end if;

  return array(
    select row(
      s.position, s.logical_date, s.data_interval_start, s.data_interval_end, s.run_after, s.partition_key, s.partition_date,
      case when d.action <> 'create' then r.run_id end,
      d.action,
      d.exception_reason,
      r.id
    )::pgbackfill.planned_slot
    from unnest(p_slots) with ordinality
      as s(logical_date, data_interval_start, data_interval_end, run_after, partition_key, partition_date, position)
    left join (
      select distinct on (e.partition_date) e.partition_date, e.id, e.run_id, e.state
      from public.dag_run e
      where e.dag_id = p_dag_id and e.partition_date between v_first and v_last
      order by e.partition_date, e.start_date is null, e.start_date desc
    ) r on r.partition_date = s.partition_date
    cross join lateral pgbackfill._slot_decision(r.id is not null, r.state, p_reprocess_behavior, true) d
    order by s.position
  );
end
$$;

comment on function pgbackfill._plan(text, pgbackfill.dag_run_info[], text) is
  'One planned_slot per slot, in the order given. The existing run is found by logical_date, of a partition the newest by partition_date.';

revoke all on function pgbackfill._plan(text, pgbackfill.dag_run_info[], text) from public;
