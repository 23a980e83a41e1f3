-- Inserts one backfill_dag_run per slot: with its run, or with the reason why it has none.
create or replace function pgbackfill._insert_slots(
  p_backfill_id integer,
  p_plan pgbackfill.planned_slot[],
  p_created pgbackfill.new_dag_run[]
)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_columns constant text := pgbackfill._host_columns(
    'public.backfill_dag_run',
    array['backfill_id', 'dag_run_id', 'exception_reason', 'logical_date', 'partition_key', 'sort_ordinal']
  );
begin
  execute format(
    $insert$
      insert into public.backfill_dag_run (%1$s)
      select %1$s
      from (
        select
          $1 as backfill_id,
          d.dag_run_id,
          case when d.dag_run_id is null then coalesce(s.exception_reason, 'in flight') end as exception_reason,
          s.logical_date, s.partition_key, s.sort_ordinal
        from unnest($2) s
        left join unnest($3) r
          on r.run_id = s.run_id
          and r.logical_date is not distinct from s.logical_date  -- two slots with one run_after share their run_id
        cross join lateral (
          select case s.action when 'create' then r.dag_run_id when 'clear' then s.dag_run_id end as dag_run_id
        ) d
        order by s.sort_ordinal
      ) s
    $insert$,
    v_columns
  )
  using p_backfill_id, p_plan, p_created;
end
$$;

comment on function pgbackfill._insert_slots(integer, pgbackfill.planned_slot[], pgbackfill.new_dag_run[]) is
  'The slots of a backfill. One that was to be created but is not among the runs is in flight: another writer was first.';

revoke all on function pgbackfill._insert_slots(integer, pgbackfill.planned_slot[], pgbackfill.new_dag_run[]) from public;
