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
  -- No tick after now can have ended, so a far to_date costs nothing. A partition need not have.
  v_latest constant timestamptz := case
    when p_dag.dag -> 'timetable' ->> '__type' like '%.CronPartitionTimetable' then p_to_date
    else least(p_to_date, v_now)
  end;
  v_slots pgbackfill.dag_run_info[];
begin
  -- Airflow leaves out a slot whose interval has not ended; a partition has no interval and always counts.
  if p_infos is null then
    select array_agg(i order by coalesce(i.logical_date, i.partition_date))
    into v_slots
    from pgbackfill.timetable_infos(p_dag.dag -> 'timetable', p_from_date, v_latest) i
    where i.partition_key is not null or i.data_interval_end < v_now;
  else
    select array_agg(i order by coalesce(i.logical_date, i.partition_date))
    into v_slots
    from pgbackfill._parse_infos(p_infos, p_from_date, p_to_date) i
    where i.partition_key is not null or i.data_interval_end < v_now;
  end if;

  if p_run_backwards then
    select array_agg(i order by coalesce(i.logical_date, i.partition_date) desc)
    into v_slots
    from unnest(v_slots) i;
  end if;
  return coalesce(v_slots, '{}');
end
$$;

comment on function pgbackfill._slots(pgbackfill.serialized_dag, timestamptz, timestamptz, boolean, jsonb) is
  'The slots of the window in run order: the timetable''s, or those of p_infos. PB003 non-periodic, PB013 unsupported timetable, PB016 bad infos.';

revoke all on function pgbackfill._slots(pgbackfill.serialized_dag, timestamptz, timestamptz, boolean, jsonb) from public;
