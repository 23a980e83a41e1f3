-- Puts finished runs back to queued, on their DAG version or on the latest.
create or replace function pgbackfill._reset_dag_runs(
  p_dag_run_ids integer[],
  p_moves_to pgbackfill.serialized_dag,
  p_bundle_version text,
  p_rules pgbackfill.release_rules
)
returns setof pgbackfill.new_dag_run
language sql
set search_path = pg_catalog, pg_temp
as $$
  update public.dag_run r
  set state = 'queued',
      queued_at = n.at,
      start_date = null,
      end_date = null,
      last_scheduling_decision = null,
      clear_number = r.clear_number + 1,
      created_dag_version_id = coalesce(p_moves_to.dag_version_id, r.created_dag_version_id),
      bundle_version = coalesce(p_bundle_version, r.bundle_version),
      context_carrier = case
        when p_rules.trace_flags is null then r.context_carrier::jsonb
        else pgbackfill._new_context_carrier(p_rules, r.conf::jsonb ->> 'airflow/task_span_detail_level')
      end,
      updated_at = n.at
  from (select pgbackfill._now() as at) n
  where r.id = any (p_dag_run_ids)
  returning r.id, r.run_id::text, r.logical_date, r.run_type::text, case when p_rules.trace_flags is not null then r.context_carrier::jsonb end;
$$;

comment on function pgbackfill._reset_dag_runs(integer[], pgbackfill.serialized_dag, text, pgbackfill.release_rules) is
  'The dag_run part of Airflow''s clear_task_instances; without p_moves_to the runs keep their DAG version. Returns the runs, with the trace that their task instances take.';

revoke all on function pgbackfill._reset_dag_runs(integer[], pgbackfill.serialized_dag, text, pgbackfill.release_rules) from public;
