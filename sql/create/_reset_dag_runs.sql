-- Puts finished runs back to queued and into a backfill.
create or replace function pgbackfill._reset_dag_runs(
  p_backfill_id integer,
  p_dag_run_ids integer[],
  p_version pgbackfill.serialized_dag,
  p_run_on_latest_version boolean,
  p_dag_run_conf jsonb,
  p_triggering_user_name text
)
returns setof pgbackfill.new_dag_run
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  -- Airflow leaves the name of who asked for the run before (#62126).
  v_user_name constant text := case
    when pgbackfill._host_columns('public.dag_run', '{triggering_user_name}') is not null then 'triggering_user_name = $6,'
  end;
begin
  return query execute format(
    $update$
      update public.dag_run r
      set state = 'queued',
          queued_at = n.at,
          start_date = null,
          end_date = null,
          last_scheduling_decision = null,
          clear_number = r.clear_number + 1,
          created_dag_version_id = case when $4 or r.created_dag_version_id is null then $3 else r.created_dag_version_id end,
          bundle_version = case when $4 or r.created_dag_version_id is null then coalesce($7, r.bundle_version) else r.bundle_version end,
          context_carrier = pgbackfill._new_context_carrier(),
          backfill_id = $1,
          run_type = 'backfill',
          triggered_by = 'BACKFILL',
          %s
          conf = coalesce($5, r.conf::jsonb),
          updated_at = n.at
      from (
        -- The type before the update: Airflow brings the tasks up to date first and makes it a backfill's run after.
        select o.id, o.run_type, (select pgbackfill._now()) as at from public.dag_run o where o.id = any ($2)
      ) n
      where r.id = n.id
      returning r.id, r.run_id::text, r.logical_date, n.run_type::text, r.context_carrier::jsonb
    $update$,
    v_user_name
  )
  using
    p_backfill_id, p_dag_run_ids, p_version.dag_version_id, p_run_on_latest_version, p_dag_run_conf, p_triggering_user_name,
    p_version.bundle_version;
end
$$;

comment on function pgbackfill._reset_dag_runs(integer, integer[], pgbackfill.serialized_dag, boolean, jsonb, text) is
  'The dag_run part of Airflow''s clear_task_instances and _handle_clear_run, and the user who asks now. Returns the runs with the run_type that they had.';

revoke all on function pgbackfill._reset_dag_runs(integer, integer[], pgbackfill.serialized_dag, boolean, jsonb, text) from public;
