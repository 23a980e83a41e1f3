-- Puts finished runs back to queued and into a backfill.
create or replace function pgbackfill._reset_dag_runs(
  p_backfill_id integer,
  p_dag_run_ids integer[],
  p_version pgbackfill.serialized_dag,
  p_run_on_latest_version boolean,
  p_dag_run_conf jsonb
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
      created_dag_version_id = case
        when p_run_on_latest_version or r.created_dag_version_id is null then p_version.dag_version_id
        else r.created_dag_version_id
      end,
      bundle_version = case
        when p_run_on_latest_version or r.created_dag_version_id is null then coalesce(p_version.bundle_version, r.bundle_version)
        else r.bundle_version
      end,
      context_carrier = pgbackfill._new_context_carrier(),
      backfill_id = p_backfill_id,
      run_type = 'backfill',
      triggered_by = 'BACKFILL',
      conf = coalesce(p_dag_run_conf, r.conf::jsonb),
      updated_at = n.at
  from (
    -- The type before the update: Airflow brings the tasks up to date first and makes it a backfill's run after.
    select o.id, o.run_type, (select pgbackfill._now()) as at from public.dag_run o where o.id = any (p_dag_run_ids)
  ) n
  where r.id = n.id
  returning r.id, r.run_id::text, r.logical_date, n.run_type::text, r.context_carrier::jsonb;
$$;

comment on function pgbackfill._reset_dag_runs(integer, integer[], pgbackfill.serialized_dag, boolean, jsonb) is
  'The dag_run part of Airflow''s clear_task_instances and _handle_clear_run. Returns the runs with the run_type that they had.';

revoke all on function pgbackfill._reset_dag_runs(integer, integer[], pgbackfill.serialized_dag, boolean, jsonb) from public;
