-- Writes everything that a plan says for a backfill whose row is there: runs, task instances, cleared runs, slots.
create or replace function pgbackfill._create_runs(
  p_backfill_id integer,
  p_dag pgbackfill.serialized_dag,
  p_plan pgbackfill.planned_slot[],
  p_reprocess_behavior text,
  p_run_on_latest_version boolean,
  p_dag_run_conf jsonb,
  p_triggering_user_name text,
  out slots_created integer,
  out slots_cleared integer
)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_rules constant pgbackfill.release_rules := pgbackfill._release_rules();
  v_plan pgbackfill.planned_slot[];
  v_templates pgbackfill.task_template[];
  v_created pgbackfill.new_dag_run[];
begin
  perform pgbackfill._check_writable(p_dag, p_dag);
  select array_agg(t) into v_templates from pgbackfill._task_templates(p_dag, v_rules) t;
  v_plan := pgbackfill._settle_plan(p_plan, p_reprocess_behavior);

  v_created := pgbackfill._insert_dag_runs(p_backfill_id, p_dag, v_plan, v_rules, p_dag_run_conf, p_triggering_user_name);
  perform pgbackfill._insert_task_instances(p_dag, v_templates, v_created, true);

  slots_cleared := (select count(*) from unnest(v_plan) s where s.action = 'clear');
  if slots_cleared > 0 then
    perform pgbackfill._clear_dag_runs(
      p_backfill_id, p_dag, v_plan, v_rules, p_run_on_latest_version, p_dag_run_conf, p_triggering_user_name
    );
  end if;

  perform pgbackfill._insert_slots(p_backfill_id, v_plan, v_created);
  slots_created := coalesce(cardinality(v_created), 0);
end
$$;

comment on function pgbackfill._create_runs(integer, pgbackfill.serialized_dag, pgbackfill.planned_slot[], text, boolean, jsonb, text) is
  'Returns how many runs it created and cleared. A fixed number of statements, however many slots (one more round per DAG version among cleared runs). PB014 unsupported DAG.';

revoke all on function pgbackfill._create_runs(integer, pgbackfill.serialized_dag, pgbackfill.planned_slot[], text, boolean, jsonb, text) from public;
