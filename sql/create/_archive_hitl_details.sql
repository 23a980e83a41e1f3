-- Keeps what people were asked by attempts that have just been kept as history.
create or replace function pgbackfill._archive_hitl_details(p_dag_id text, p_run_ids text[])
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if to_regclass('public.hitl_detail_history') is null then  -- before 3.2, and without Airflow
    return;
  end if;

  execute format(
    $insert$
      insert into public.hitl_detail_history (ti_history_id, %1$s)
      select ti_id, %1$s
      from public.hitl_detail
      where ti_id in (
        select h.task_instance_id
        from public.task_instance_history h
        join public.task_instance ti on ti.id = h.task_instance_id
        where ti.dag_id = $1 and ti.run_id = any ($2)
      )
      on conflict (ti_history_id) do nothing
    $insert$,
    pgbackfill._shared_columns('public.hitl_detail', 'public.hitl_detail_history', '{}')
  )
  using p_dag_id, p_run_ids;
end
$$;

comment on function pgbackfill._archive_hitl_details(text, text[]) is
  'One hitl_detail_history row for each hitl_detail of these runs whose attempt is in task_instance_history. The detail itself stays with the new attempt.';

revoke all on function pgbackfill._archive_hitl_details(text, text[]) from public;
