-- The slots that a backfill of this window covers, in the order in which they will run.
create or replace function pgbackfill._slots(
  p_dag pgbackfill.serialized_dag,
  p_from_date timestamptz,
  p_to_date timestamptz,
  p_run_backwards boolean,
  p_infos jsonb
)
returns pgbackfill.dag_run_info[]
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now constant timestamptz := pgbackfill._now();
  v_is_partitioned constant boolean := p_dag.dag -> 'timetable' ->> '__type' like '%.CronPartitionTimetable';
  -- No tick after now can have ended, so a far to_date costs nothing. A partition need not have.
  v_latest constant timestamptz := case when v_is_partitioned then p_to_date else least(p_to_date, v_now) end;
  v_slots pgbackfill.dag_run_info[];
begin
  -- Airflow leaves out a slot whose interval has not ended; a partition has no interval and always counts.
  if p_infos is null then
    -- A timetable goes from tick to tick, and ticks are when runs may start.
    select array_agg(i order by case when p_run_backwards then i.run_after end desc, i.run_after)
    into v_slots
    from pgbackfill.timetable_infos(
      p_dag.dag -> 'timetable', p_from_date, v_latest,
      case when v_is_partitioned then '3.' || pgbackfill._airflow_minor() end  -- the releases differ there alone
    ) i
    where i.partition_key is not null or i.data_interval_end < v_now;
  else
    select array_agg(i order by case when p_run_backwards then a.at end desc, a.at)
    into v_slots
    from pgbackfill._parse_infos(p_infos, p_from_date, p_to_date) i
    cross join lateral (select coalesce(i.logical_date, i.partition_date) as at) a
    where i.partition_key is not null or i.data_interval_end < v_now;
  end if;
  return coalesce(v_slots, '{}');
end
$$;

comment on function pgbackfill._slots(pgbackfill.serialized_dag, timestamptz, timestamptz, boolean, jsonb) is
  'The slots of the window in run order: the timetable''s, or those of p_infos. PB003 non-periodic, PB013 unsupported timetable, PB016 bad infos.';

revoke all on function pgbackfill._slots(pgbackfill.serialized_dag, timestamptz, timestamptz, boolean, jsonb) from public;
