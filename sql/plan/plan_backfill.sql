-- What create_backfill would do to each slot, without doing it.
create or replace function pgbackfill.plan_backfill(
  dag_id text,
  from_date timestamptz,
  to_date timestamptz,
  run_backwards boolean default false,
  reprocess_behavior text default 'none',
  dag_run_conf jsonb default '{}',
  infos jsonb default null
)
returns setof pgbackfill.planned_slot
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set jit = off  -- compiling costs more than it could save here
as $$
declare
  v_dag pgbackfill.serialized_dag;
  v_slots pgbackfill.dag_run_info[];
begin
  perform pgbackfill._check_arguments(from_date, to_date, run_backwards, reprocess_behavior);
  v_dag := pgbackfill._dag(dag_id);
  perform pgbackfill._check_request(v_dag, from_date, to_date, run_backwards, reprocess_behavior, dag_run_conf);

  v_slots := pgbackfill._slots(v_dag, from_date, to_date, run_backwards, infos);
  if cardinality(v_slots) > 0 then
    perform pgbackfill._check_writable(v_dag, v_dag);
  end if;

  return query select * from unnest(pgbackfill._plan(v_dag.dag_id, v_slots, reprocess_behavior));
end
$$;

comment on function pgbackfill.plan_backfill(text, timestamptz, timestamptz, boolean, text, jsonb, jsonb) is
  'A dry run: one row per slot in run order with its action and, for a skip, the reason. Writes nothing and locks nothing. PB002 to PB009, PB013, PB014, PB016 as create_backfill; no row where create_backfill raises PB010. Not seen in advance: PB001, and PB014 for an older DAG version that a run to clear stays on.';

revoke all on function pgbackfill.plan_backfill(text, timestamptz, timestamptz, boolean, text, jsonb, jsonb) from public;
