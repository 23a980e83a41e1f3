-- Makes a DAG known where no Airflow is, on a list of dates.
create or replace function pgbackfill.register_dag(
  dag_id text,
  dates timestamptz[],
  max_active_runs integer default 16,
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
  v_dates constant text[] := array(select pgbackfill._isoformat(d) from unnest(dates) d order by d);
  v_summary constant text := cardinality(v_dates) || ' events';
begin
  if dates is null or exists (select from unnest(dates) d where pgbackfill._is_python_date(d) is not true) then
    raise exception 'dates must be in the years 1 to 9999, and none null' using errcode = 'PB016';
  end if;
  return next pgbackfill._register_dag(
    dag_id,
    jsonb_build_object(
      '__type', 'airflow.timetables.events.EventsTimetable',
      '__var', jsonb_build_object(
        'event_dates', v_dates, 'restrict_to_events', false, 'description', null, '_summary', v_summary
      )
    ),
    v_summary, 'UTC', max_active_runs, description
  );
end
$$;

comment on function pgbackfill.register_dag(text, timestamptz[], integer, text) is
  'Registers a DAG that runs at the dates given, or changes it; returns its newest version. PB014 where Airflow is, PB016 bad id or date.';

revoke all on function pgbackfill.register_dag(text, timestamptz[], integer, text) from public;
