-- Clears the runs of the slots to clear, in place: same rows, new attempts, the old ones kept as history.
create or replace function pgbackfill._clear_dag_runs(
  p_backfill_id integer,
  p_dag pgbackfill.serialized_dag,
  p_plan pgbackfill.planned_slot[],
  p_rules pgbackfill.release_rules,
  p_run_on_latest_version boolean,
  p_dag_run_conf jsonb,
  p_triggering_user_name text
)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_dag_run_ids constant integer[] := array(select s.dag_run_id from unnest(p_plan) s where s.action = 'clear');
  v_group record;
  v_version pgbackfill.serialized_dag;
  v_moves_to pgbackfill.serialized_dag;
  v_templates pgbackfill.task_template[];
  v_runs pgbackfill.new_dag_run[];
  v_map_lengths jsonb;
begin
  -- One round for each DAG version that tasks are taken from, which is the latest unless a run stays on its versioned bundle.
  for v_group in
    select
      m.moves,
      case when m.moves or r.bundle_version is null then p_dag.dag_version_id else r.created_dag_version_id end as dag_version_id,
      array_agg(r.id) as dag_run_ids,
      array_agg(r.run_id::text) as run_ids
    from public.dag_run r
    cross join lateral (
      select
        (p_run_on_latest_version and p_rules.moves_runs)
        or (r.created_dag_version_id is null and p_rules.moves_runs_without_version) as moves
    ) m
    where r.id = any (v_dag_run_ids)
      -- Airflow leaves a run as it is that has nothing to run, but for whose it is. Where there is no Airflow, the run is the work.
      and (
        exists (select from public.task_instance ti where ti.dag_id = r.dag_id and ti.run_id = r.run_id)
        or exists (select from pgbackfill.host_table)
      )
    group by 1, 2
  loop
    v_version := case
      when v_group.dag_version_id = p_dag.dag_version_id then p_dag
      when v_group.dag_version_id is not null then pgbackfill._dag(p_dag.dag_id, v_group.dag_version_id)
    end;
    v_moves_to := case when v_group.moves then p_dag end;
    perform pgbackfill._check_writable(p_dag, v_version);
    select array_agg(t) into v_templates from pgbackfill._task_templates(v_version, p_rules) t;

    if v_group.moves then
      select jsonb_agg(to_jsonb(l))
      into v_map_lengths
      from pgbackfill._resolved_map_lengths(p_dag, v_group.dag_run_ids, v_templates) l;
    end if;

    -- Lock order: the dag_run rows are held since the plan; task_instance rows come last.
    perform pgbackfill._archive_task_instances(p_dag.dag_id, v_group.run_ids, p_rules);
    select array_agg(r)
    into v_runs
    from pgbackfill._reset_dag_runs(
      v_group.dag_run_ids, v_moves_to, case when v_group.moves or p_rules.moves_bundle_anyway then v_version.bundle_version end, p_rules
    ) r;
    perform pgbackfill._reset_task_instances(p_dag.dag_id, v_runs, v_templates, v_moves_to, p_rules);
    if v_group.moves then
      perform pgbackfill._mark_removed_tasks(p_dag, v_runs, v_templates, v_map_lengths);
      perform pgbackfill._insert_task_instances(p_dag, v_templates, v_runs, false);
    end if;
  end loop;

  perform pgbackfill._adopt_dag_runs(p_backfill_id, v_dag_run_ids, p_rules, p_dag_run_conf, p_triggering_user_name);
end
$$;

comment on function pgbackfill._clear_dag_runs(integer, pgbackfill.serialized_dag, pgbackfill.planned_slot[], pgbackfill.release_rules, boolean, jsonb, text) is
  'Airflow''s dag.clear and _handle_clear_run for all slots with action clear at once.';

revoke all on function pgbackfill._clear_dag_runs(integer, pgbackfill.serialized_dag, pgbackfill.planned_slot[], pgbackfill.release_rules, boolean, jsonb, text) from public;
