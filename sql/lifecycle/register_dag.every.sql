-- Makes a DAG known where no Airflow is, on a schedule of equal steps.
create or replace function pgbackfill.register_dag(
  dag_id text,
  every interval,
  max_active_runs integer default 16,
  create_delta_data_intervals boolean default false,
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
  v_delta constant jsonb := pgbackfill._encoded_delta(every);
  v_timetable constant jsonb := case
    when create_delta_data_intervals then jsonb_build_object(
      '__type', 'airflow.timetables.interval.DeltaDataIntervalTimetable', '__var', jsonb_build_object('delta', v_delta)
    )
    else jsonb_build_object(
      '__type', 'airflow.timetables.trigger.DeltaTriggerTimetable',
      '__var', jsonb_build_object('delta', v_delta, 'interval', 0.0)
    )
  end;
begin
  if every is null or create_delta_data_intervals is null then
    raise exception '% must not be null', case when every is null then 'every' else 'create_delta_data_intervals' end
      using errcode = 'PB016';
  elsif not isfinite(every) or every <= interval '0' then
    raise exception 'every must be a positive interval, not %', every using errcode = 'PB016';
  end if;
  return next pgbackfill._register_dag(dag_id, v_timetable, every::text, 'UTC', max_active_runs, description);
end
$$;

comment on function pgbackfill.register_dag(text, interval, integer, boolean, text) is
  'Registers a DAG whose runs follow each other by an interval from from_date on, or changes it; returns its newest version. Days and months are those of UTC. '
  'create_delta_data_intervals is Airflow''s option of that name: a run covers the interval instead of standing for its start. PB014 where Airflow is, PB016 bad id or an interval that is not positive.';

revoke all on function pgbackfill.register_dag(text, interval, integer, boolean, text) from public;
