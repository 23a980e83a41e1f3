-- Slots with their runs: of one backfill, of the runs named, or all.
create or replace function pgbackfill._dag_run_state(p_backfill_id integer default null, p_dag_run_ids integer[] default null)
returns setof pgbackfill.dag_run_state
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set plan_cache_mode = force_custom_plan  -- a plan for any argument would read all backfills
set jit = off  -- compiling costs more than it could save here
as $$
begin
  return query
  select
    s.backfill_id, s.sort_ordinal, b.dag_id::text, r.run_id::text, r.id, s.logical_date, r.data_interval_start, r.data_interval_end, r.run_after,
    to_jsonb(s) ->> 'partition_key',  -- a column from 3.2 on
    r.state::text, s.exception_reason::text, r.conf::jsonb, r.queued_at, r.start_date, r.end_date
  from public.backfill_dag_run s
  join public.backfill b on b.id = s.backfill_id
  left join public.dag_run r on r.id = s.dag_run_id
  where (p_backfill_id is null or s.backfill_id = p_backfill_id)
    and (p_dag_run_ids is null or (s.dag_run_id = any (p_dag_run_ids) and s.backfill_id = r.backfill_id))
  order by s.backfill_id, s.sort_ordinal;
end
$$;

comment on function pgbackfill._dag_run_state(integer, integer[]) is
  'What the view backfill_dag_runs shows; with run ids, the slots through which those runs belong to their backfill now.';

revoke all on function pgbackfill._dag_run_state(integer, integer[]) from public;
