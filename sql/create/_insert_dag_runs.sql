-- Inserts the runs of the slots to create; a slot whose run another writer inserted first is left out.
create or replace function pgbackfill._insert_dag_runs(
  p_backfill_id integer,
  p_dag pgbackfill.serialized_dag,
  p_plan pgbackfill.planned_slot[],
  p_rules pgbackfill.release_rules,
  p_dag_run_conf jsonb,
  p_triggering_user_name text
)
returns pgbackfill.new_dag_run[]
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_columns constant text := pgbackfill._host_columns(
    'public.dag_run',
    array[
      'dag_id', 'queued_at', 'logical_date', 'state', 'run_id', 'run_type', 'triggered_by', 'triggering_user_name', 'conf',
      'data_interval_start', 'data_interval_end', 'run_after', 'log_template_id', 'created_at', 'updated_at', 'clear_number',
      'backfill_id', 'bundle_version', 'context_carrier', 'span_status', 'created_dag_version_id', 'partition_key', 'partition_date'
    ]
  );
  v_conflict text;
  v_runs pgbackfill.new_dag_run[];
begin
  -- Hardly ever is somebody first, and looking for conflicts row by row costs a tenth of the insertion: so insert, and on a
  -- violation undo that and insert what is left. No conflict target: (dag_id, logical_date) and (dag_id, run_id) both count.
  foreach v_conflict in array array['', 'on conflict do nothing'] loop
    begin
      execute format(
        $insert$
          with inserted as (
            insert into public.dag_run (%1$s)
            select %1$s
            from (
              select
                $2 as dag_id, $7 as queued_at, s.logical_date, 'queued' as state, s.run_id, 'backfill' as run_type,
                'BACKFILL' as triggered_by, $6 as triggering_user_name, coalesce($5, '{}') as conf,
                s.data_interval_start, s.data_interval_end, s.run_after,
                (select max(l.id) from public.log_template l) as log_template_id,
                $7 as created_at, $7 as updated_at, 0 as clear_number, $1 as backfill_id, $4 as bundle_version,
                pgbackfill._new_context_carrier($9, $5 ->> 'airflow/task_span_detail_level') as context_carrier, 'not_started' as span_status, $3 as created_dag_version_id,
                s.partition_key, s.partition_date
              from unnest($8) s
              where s.action = 'create'
              order by s.sort_ordinal
            ) r
            %2$s
            returning id, run_id::text, logical_date, run_type::text, case when ($9).trace_flags is not null then context_carrier::jsonb end
          )
          select array_agg(row(i.*)::pgbackfill.new_dag_run) from inserted i
        $insert$,
        v_columns, v_conflict
      )
      into v_runs
      using
        p_backfill_id, p_dag.dag_id, p_dag.dag_version_id, p_dag.bundle_version, p_dag_run_conf, p_triggering_user_name,
        pgbackfill._now(), p_plan, p_rules;
      return v_runs;
    exception
      when unique_violation then
        if v_conflict <> '' then
          raise;
        end if;
    end;
  end loop;
end
$$;

comment on function pgbackfill._insert_dag_runs(integer, pgbackfill.serialized_dag, pgbackfill.planned_slot[], pgbackfill.release_rules, jsonb, text) is
  'One queued run per slot with action create, as Airflow''s create_dagrun writes it; returns those inserted.';

revoke all on function pgbackfill._insert_dag_runs(integer, pgbackfill.serialized_dag, pgbackfill.planned_slot[], pgbackfill.release_rules, jsonb, text) from public;
