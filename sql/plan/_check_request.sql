-- Airflow's rules for a backfill request, in Airflow's order; raises on the first that is broken.
create or replace function pgbackfill._check_request(
  p_dag pgbackfill.serialized_dag,
  p_from_date timestamptz,
  p_to_date timestamptz,
  p_run_backwards boolean,
  p_reprocess_behavior text,
  p_dag_run_conf jsonb
)
returns void
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
begin
  if not coalesce(p_dag.allowed_run_types @> '["backfill"]', true) then
    raise exception 'DAG "%" does not allow backfill runs', p_dag.dag_id using errcode = 'PB004';
  end if;

  if not (pgbackfill._is_python_date(p_from_date) and pgbackfill._is_python_date(p_to_date)) then
    raise exception 'from_date and to_date must be in the years 1 to 9999' using errcode = 'PB008';
  elsif p_from_date > p_to_date then
    raise exception 'from_date (%) must not be after to_date (%)',
      pgbackfill._isoformat(p_from_date), pgbackfill._isoformat(p_to_date)
      using errcode = 'PB008';
  elsif p_from_date >= pgbackfill._now() then
    raise exception 'a backfill cannot be for future dates (from_date is %)', pgbackfill._isoformat(p_from_date)
      using errcode = 'PB007';
  end if;

  if exists (select from pgbackfill._serialized_tasks(p_dag) t where t.attributes @> '{"depends_on_past": true}') then
    if p_run_backwards then
      raise exception 'DAG "%" has tasks with depends_on_past, so it cannot run backwards', p_dag.dag_id
        using errcode = 'PB005';
    elsif p_reprocess_behavior = 'none' then
      raise exception 'DAG "%" has tasks with depends_on_past, so existing runs must be reprocessed', p_dag.dag_id
        using errcode = 'PB006', hint = 'Set reprocess_behavior to failed or completed.';
    end if;
  end if;

  if jsonb_typeof(p_dag_run_conf) <> 'object' then
    raise exception 'dag_run_conf must be a JSON object, not %', jsonb_typeof(p_dag_run_conf) using errcode = 'PB009';
  elsif p_dag_run_conf is not null then
    perform pgbackfill._check_conf(p_dag, p_dag_run_conf);
  end if;
end
$$;

comment on function pgbackfill._check_request(pgbackfill.serialized_dag, timestamptz, timestamptz, boolean, text, jsonb) is
  'Airflow''s _validate_backfill_params and the checks before it. PB004 run type, PB008 range, PB007 future, PB005 direction, PB006 reprocess, PB009 conf, PB014 a param that SQL cannot check.';

revoke all on function pgbackfill._check_request(pgbackfill.serialized_dag, timestamptz, timestamptz, boolean, text, jsonb) from public;
