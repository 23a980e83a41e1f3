-- Keeps the attempts of runs that are cleared: one task_instance_history row each, unless that attempt is there already.
create or replace function pgbackfill._archive_task_instances(p_dag_id text, p_run_ids text[], p_rules pgbackfill.release_rules)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'  -- task_instance_history.trigger_timeout has no time zone and is UTC
as $$
declare
  v_now constant timestamptz := pgbackfill._now();
  v_columns constant text := pgbackfill._shared_columns(
    'public.task_instance', 'public.task_instance_history', '{state, rendered_map_index, task_display_name}'
  );
begin
  -- An attempt that had not finished and is not kept yet ends now.
  update public.task_instance ti
  set end_date = v_now,
      duration = extract(epoch from v_now - ti.start_date)
  where ti.dag_id = p_dag_id
    and ti.run_id = any (p_run_ids)
    and (ti.end_date is null or p_rules.ends_attempts_again)
    and ti.state in ('success', 'failed', 'skipped', 'upstream_failed', 'removed') is not true
    and not exists (
      select
      from public.task_instance_history h
      where (h.dag_id, h.task_id, h.run_id, h.map_index, h.try_number) = (ti.dag_id, ti.task_id, ti.run_id, ti.map_index, ti.try_number)
    );

  execute format(
    $insert$
      insert into public.task_instance_history (task_instance_id, rendered_map_index, task_display_name, state, %1$s)
      select
        id,
        coalesce(rendered_map_index, case when map_index >= 0 then map_index::text end),
        coalesce(task_display_name, task_id),
        case when state in ('success', 'failed', 'skipped', 'upstream_failed', 'removed') then state else 'failed' end,
        %1$s
      from public.task_instance
      where dag_id = $1 and run_id = any ($2)
      on conflict (dag_id, task_id, run_id, map_index, try_number) do nothing
    $insert$,
    v_columns
  )
  using p_dag_id, p_run_ids;

  perform pgbackfill._archive_hitl_details(p_dag_id, p_run_ids);

  delete from public.task_reschedule s
  using public.task_instance ti
  where s.ti_id = ti.id and ti.dag_id = p_dag_id and ti.run_id = any (p_run_ids);
end
$$;

comment on function pgbackfill._archive_task_instances(text, text[], pgbackfill.release_rules) is
  'Airflow''s TaskInstanceHistory.record_ti for all task instances of the runs; their reschedules are deleted, as clearing does.';

revoke all on function pgbackfill._archive_task_instances(text, text[], pgbackfill.release_rules) from public;
