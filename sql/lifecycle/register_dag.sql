-- Makes a DAG known where no Airflow is, on a cron expression or a preset such as @daily.
create or replace function pgbackfill.register_dag(
  dag_id text,
  schedule text,
  timezone text default 'UTC',
  max_active_runs integer default 16,
  create_cron_data_intervals boolean default false,
  description text default null
)
returns setof pgbackfill.registered_dag
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set jit = off  -- compiling costs more than it could save here
as $$
declare
  v_timetable constant jsonb := case
    when create_cron_data_intervals then jsonb_build_object(
      '__type', 'airflow.timetables.interval.CronDataIntervalTimetable',
      '__var', jsonb_build_object('expression', schedule, 'timezone', timezone)
    )
    else jsonb_build_object(
      '__type', 'airflow.timetables.trigger.CronTriggerTimetable',
      '__var', jsonb_build_object('expression', schedule, 'timezone', timezone, 'interval', 0.0, 'run_immediately', false)
    )
  end;
begin
  if schedule is null or create_cron_data_intervals is null then
    raise exception '% must not be null', case when schedule is null then 'schedule' else 'create_cron_data_intervals' end
      using errcode = 'PB016';
  elsif schedule in ('@once', '@continuous') then
    raise exception 'schedule "%" is not periodic', schedule using errcode = 'PB003';
  elsif lower(schedule collate "C") !~ '^\s*(@(hourly|daily|midnight|weekly|monthly|quarterly|yearly|annually)|\S+(\s+\S+){4,6})\s*$' then
    raise exception 'schedule "%" is no cron expression and no preset', left(schedule, 100)
      using errcode = 'PB016',
        hint = 'Presets are @hourly, @daily, @weekly, @monthly, @quarterly and @yearly. Of other schedules name the parameter: '
          'every => ''1 day'', crons => array[...], dates => array[...]::timestamptz[], timetable => ''{"__type": ...}''.';
  end if;
  return next pgbackfill._register_dag(dag_id, v_timetable, schedule, timezone, max_active_runs, description);
end
$$;

comment on function pgbackfill.register_dag(text, text, text, integer, boolean, text) is
  'Registers a DAG on a cron schedule in a time zone, or changes it; returns its newest version. create_cron_data_intervals is Airflow''s option of that name: '
  'a run covers the interval up to the next tick instead of standing for its tick. PB014 where Airflow is, PB016 bad id, schedule or zone.';

revoke all on function pgbackfill.register_dag(text, text, text, integer, boolean, text) from public;
