-- The slots of a timetable between two dates, both included, in order: what Airflow's iter_dagrun_infos_between yields.
create or replace function pgbackfill.timetable_infos(
  timetable jsonb,
  from_date timestamptz,
  to_date timestamptz,
  airflow_version text default null
)
returns setof pgbackfill.dag_run_info
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
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
  elsif airflow_version !~ '^[0-9]{1,4}[.][0-9]{1,4}([^0-9]|$)' then
    raise exception 'airflow_version must be a release of Airflow such as 3.2.2, not "%"', left(airflow_version, 100)
      using errcode = 'PB016';
  end if;

  case v_class
    when 'airflow.timetables.trigger.CronTriggerTimetable' then
      return query
      select *
      from pgbackfill._cron_trigger_infos(
        v_fields, array[pgbackfill._timetable_text(v_fields, 'expression')], from_date, to_date
      );
    when 'airflow.timetables.trigger.MultipleCronTriggerTimetable' then
      return query
      select *
      from pgbackfill._cron_trigger_infos(
        v_fields, pgbackfill._timetable_texts(v_fields, 'expressions'), from_date, to_date
      );
    when 'airflow.timetables.trigger.CronPartitionTimetable' then
      return query
      select *
      from pgbackfill._cron_partition_infos(
        v_fields, from_date, to_date,
        coalesce(string_to_array(substring(airflow_version, '^[0-9]+[.][0-9]+'), '.')::integer[] < '{3,3}', false)
      );
    when 'airflow.timetables.trigger.DeltaTriggerTimetable' then
      return query select * from pgbackfill._delta_trigger_infos(v_fields, from_date, to_date);
    when 'airflow.timetables.interval.CronDataIntervalTimetable' then
      return query select * from pgbackfill._cron_data_interval_infos(v_fields, from_date, to_date);
    when 'airflow.timetables.interval.DeltaDataIntervalTimetable' then
      return query select * from pgbackfill._delta_data_interval_infos(v_fields, from_date, to_date);
    when 'airflow.timetables.events.EventsTimetable' then
      return query select * from pgbackfill._events_infos(v_fields, from_date, to_date);
    when
      'airflow.timetables.assets.AssetOrTimeSchedule',
      'airflow.timetables.datasets.DatasetOrTimeSchedule'  -- its name up to 3.1
    then
      if v_fields -> 'timetable' ->> '__type' like 'airflow.timetables.%OrTimeSchedule' then
        raise exception 'timetable % cannot hold another one', v_class using errcode = 'PB016';
      end if;
      return query
      select *
      from pgbackfill.timetable_infos(
        case
          -- Inside, it makes no partitions: Airflow asks it for the ticks of its cron.
          when v_fields -> 'timetable' @> '{"__type": "airflow.timetables.trigger.CronPartitionTimetable", "__var": {}}' then jsonb_set(
            jsonb_set(v_fields -> 'timetable', '{__type}', '"airflow.timetables.trigger.CronTriggerTimetable"'),
            '{__var,interval}', '0'
          )
          else v_fields -> 'timetable'
        end,
        from_date, to_date, airflow_version
      );
    when
      'airflow.timetables.simple.NullTimetable',
      'airflow.timetables.simple.OnceTimetable',
      'airflow.timetables.simple.ContinuousTimetable',
      'airflow.timetables.simple.AssetTriggeredTimetable',
      'airflow.timetables.simple.DatasetTriggeredTimetable',
      'airflow.timetables.simple.PartitionedAssetTimetable',
      'airflow.timetables.simple.PartitionedAtRuntime'
    then
      raise exception 'timetable % is not periodic', v_class using errcode = 'PB003';
    else
      raise exception 'timetable % cannot be evaluated in SQL', v_class
        using errcode = 'PB013',
          hint = 'Compute the slots yourself and pass them as infos: '
            '[{"logical_date": ..., "data_interval_start": ..., "data_interval_end": ..., "run_after": ...}, ...], '
            'or partition_key, partition_date and run_after.';
  end case;
exception
  when datetime_field_overflow or interval_field_overflow or numeric_value_out_of_range then
    raise exception 'timetable leads out of the years that there are: %', sqlerrm using errcode = 'PB016';
end
$$;

comment on function pgbackfill.timetable_infos(jsonb, timestamptz, timestamptz, text) is
  'Takes the timetable as Airflow serializes it and reads no table. airflow_version: the release to agree with where releases differ (partitions: 3.2), null the newest. '
  'PB003 non-periodic, PB013 a class that SQL cannot evaluate, PB016 null, infinite or far date, missing or unacceptable field.';

revoke all on function pgbackfill.timetable_infos(jsonb, timestamptz, timestamptz, text) from public;
