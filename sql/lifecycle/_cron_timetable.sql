-- A cron schedule as the timetable that Airflow would serialize for it, checked.
create or replace function pgbackfill._cron_timetable(p_schedule text, p_timezone text, p_data_intervals boolean)
returns jsonb
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_timetable constant jsonb := case
    when p_data_intervals then jsonb_build_object(
      '__type', 'airflow.timetables.interval.CronDataIntervalTimetable',
      '__var', jsonb_build_object('expression', p_schedule, 'timezone', p_timezone)
    )
    else jsonb_build_object(
      '__type', 'airflow.timetables.trigger.CronTriggerTimetable',
      '__var', jsonb_build_object('expression', p_schedule, 'timezone', p_timezone, 'interval', 0.0, 'run_immediately', false)
    )
  end;
begin
  perform from pgbackfill.timetable_infos(v_timetable, '2000-01-01 UTC', '2000-01-01 UTC');  -- raises if it cannot be read
  return v_timetable;
end
$$;

comment on function pgbackfill._cron_timetable(text, text, boolean) is
  'A CronTriggerTimetable, or a CronDataIntervalTimetable when p_data_intervals. PB016 bad expression or zone.';

revoke all on function pgbackfill._cron_timetable(text, text, boolean) from public;
