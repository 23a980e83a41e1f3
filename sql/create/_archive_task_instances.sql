-- Keeps the attempts of runs that are cleared: one task_instance_history row each, unless that attempt is there already.
create or replace function pgbackfill._archive_task_instances(p_dag_id text, p_run_ids text[])
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'  -- task_instance_history.trigger_timeout has no time zone and is UTC
as $$
declare
  v_now constant timestamptz := pgbackfill._now();
  v_columns text;
begin
  -- An attempt that had not finished ends now, as Airflow's record_ti has it.
  update public.task_instance ti
  set end_date = v_now,
      duration = extract(epoch from v_now - ti.start_date)
  where ti.dag_id = p_dag_id
    and ti.run_id = any (p_run_ids)
    and ti.end_date is null
    and ti.state in ('success', 'failed', 'skipped', 'upstream_failed', 'removed') is not true;

  select string_agg(format('%I', h.attname), ', ' order by h.attnum)
  into v_columns
  from pg_attribute h
  join pg_attribute t on t.attrelid = 'public.task_instance'::regclass and t.attname = h.attname and not t.attisdropped
  where h.attrelid = 'public.task_instance_history'::regclass
    and h.attnum > 0
    and not h.attisdropped
    and h.attname not in ('id', 'state', 'rendered_map_index');

  execute format(
    $insert$
      insert into public.task_instance_history (task_instance_id, rendered_map_index, state, %1$s)
      select
        id,
        coalesce(rendered_map_index, case when map_index >= 0 then map_index::text end),
        case when state in ('success', 'failed', 'skipped', 'upstream_failed', 'removed') then state else 'failed' end,
        %1$s
      from public.task_instance
      where dag_id = $1 and run_id = any ($2)
      on conflict (dag_id, task_id, run_id, map_index, try_number) do nothing
    $insert$,
    v_columns
  )
  using p_dag_id, p_run_ids;

  delete from public.task_reschedule s
  using public.task_instance ti
  where s.ti_id = ti.id and ti.dag_id = p_dag_id and ti.run_id = any (p_run_ids);
end
$$;

comment on function pgbackfill._archive_task_instances(text, text[]) is
  'Airflow''s TaskInstanceHistory.record_ti for all task instances of the runs; their reschedules are deleted, as clearing does.';

revoke all on function pgbackfill._archive_task_instances(text, text[]) from public;
