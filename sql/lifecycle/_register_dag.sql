-- Makes a DAG known with a timetable as Airflow serializes it, and a new version of it when that has changed.
create or replace function pgbackfill._register_dag(
  p_dag_id text,
  p_timetable jsonb,
  p_summary text,
  p_timezone text,
  p_max_active_runs integer,
  p_description text
)
returns pgbackfill.registered_dag
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_version integer;
begin
  if not exists (select from pgbackfill.host_table) then
    raise exception 'the DAGs of this database are Airflow''s, which registers them itself' using errcode = 'PB014';
  elsif p_dag_id is null or p_dag_id !~ '^[\w.-]{1,250}$' or p_dag_id ~ '\.\.' then
    raise exception 'dag_id must have 1 to 250 letters, digits, dashes, dots or underscores' using errcode = 'PB016';
  elsif p_max_active_runs is null or p_max_active_runs < 1 then
    raise exception 'max_active_runs must be at least 1' using errcode = 'PB016';
  end if;

  -- Raises if the timetable cannot be read.
  perform from pgbackfill.timetable_infos(p_timetable, '2000-01-01 UTC', '2000-01-01 UTC');

  perform pgbackfill._upsert_dag(p_dag_id, p_timetable, p_summary, p_max_active_runs, p_description);
  v_version := pgbackfill._upsert_dag_version(
    p_dag_id,
    jsonb_build_object(
      '__version', 3,
      'dag', jsonb_build_object(
        'dag_id', p_dag_id, 'timetable', p_timetable, 'timezone', p_timezone, 'tasks', '[]'::jsonb, 'params', '[]'::jsonb,
        'max_active_runs', p_max_active_runs
      )
    )
  );
  return row(p_dag_id, v_version, p_timetable)::pgbackfill.registered_dag;
end
$$;

comment on function pgbackfill._register_dag(text, jsonb, text, text, integer, text) is
  'PB014 where Airflow is, PB003 a timetable that is not periodic, PB013 one that SQL cannot evaluate, PB016 bad id, number or timetable.';

revoke all on function pgbackfill._register_dag(text, jsonb, text, text, integer, text) from public;
