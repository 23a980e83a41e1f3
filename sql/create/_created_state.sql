-- A backfill as this transaction has just created it: what the view shows of it, without reading its slots back.
create or replace function pgbackfill._created_state(p_backfill_id integer, p_created integer, p_skipped integer, p_on_failure text)
returns setof pgbackfill.backfill_state
language plpgsql
stable
set search_path = pg_catalog, pg_temp
rows 1
as $$
begin
  return query
  select
    b.id, b.dag_id::text, b.from_date, b.to_date, b.dag_run_conf::jsonb, b.is_paused, b.reprocess_behavior::text, b.max_active_runs,
    b.created_at, b.initialized_at, b.completed_at, b.updated_at,
    to_jsonb(b) ->> 'triggering_user_name',  -- a column from 3.1 on
    'queued', p_created, 0, p_skipped, p_on_failure
  from public.backfill b
  where b.id = p_backfill_id;
end
$$;

comment on function pgbackfill._created_state(integer, integer, integer, text) is
  'For a backfill none of whose runs was there before; reads its row alone, where _backfill_state reads all its slots.';

revoke all on function pgbackfill._created_state(integer, integer, integer, text) from public;
