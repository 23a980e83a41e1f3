-- The slots of a timetable between two dates, both included, in order: what Airflow's iter_dagrun_infos_between yields.
create or replace function pgbackfill.timetable_infos(timetable jsonb, from_date timestamptz, to_date timestamptz)
returns setof pgbackfill.dag_run_info
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
-- Many small statements: planning each for its values, or compiling it, would take longer than running it.
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  v_class constant text := timetable ->> '__type';
  v_fields constant jsonb := timetable -> '__var';
begin
  if from_date is null or to_date is null then
    raise exception '% must not be null', case when from_date is null then 'from_date' else 'to_date' end
      using errcode = 'PB016';
  elsif least(from_date, to_date) < make_timestamptz(1, 1, 1, 0, 0, 0, 'UTC')
    or greatest(from_date, to_date) >= make_timestamptz(10000, 1, 1, 0, 0, 0, 'UTC')
  then
    raise exception 'from_date and to_date must be in the years 1 to 9999' using errcode = 'PB016';
  elsif v_class is null or jsonb_typeof(v_fields) is distinct from 'object' then
    raise exception 'timetable must be a JSON object with __type and __var, not %',
      coalesce(left(timetable::text, 100), 'null')
      using errcode = 'PB016';
  end if;

  case v_class
    when 'airflow.timetables.trigger.CronTriggerTimetable' then
      return query select * from pgbackfill._cron_trigger_infos(v_fields, from_date, to_date);
    when 'airflow.timetables.interval.CronDataIntervalTimetable' then
      return query select * from pgbackfill._cron_data_interval_infos(v_fields, from_date, to_date);
    when 'airflow.timetables.assets.AssetOrTimeSchedule' then
      return query select * from pgbackfill.timetable_infos(v_fields -> 'timetable', from_date, to_date);
    when
      'airflow.timetables.simple.NullTimetable',
      'airflow.timetables.simple.OnceTimetable',
      'airflow.timetables.simple.ContinuousTimetable',
      'airflow.timetables.simple.AssetTriggeredTimetable',
      'airflow.timetables.simple.PartitionedAssetTimetable',
      'airflow.timetables.simple.PartitionedAtRuntime'
    then
      raise exception 'timetable % is not periodic', v_class using errcode = 'PB003';
    else
      raise exception 'timetable % cannot be evaluated in SQL', v_class
        using errcode = 'PB013',
          hint = 'Compute the slots yourself and pass them as infos: '
            '[{"logical_date": ..., "data_interval_start": ..., "data_interval_end": ..., "run_after": ...}, ...].';
  end case;
end
$$;

comment on function pgbackfill.timetable_infos(jsonb, timestamptz, timestamptz) is
  'Takes the timetable as Airflow serializes it and reads no table. PB003 non-periodic, PB013 a class that SQL cannot evaluate, PB016 null, infinite or far date, missing or unacceptable field.';

revoke all on function pgbackfill.timetable_infos(jsonb, timestamptz, timestamptz) from public;
