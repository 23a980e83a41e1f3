-- Creates a backfill with all its runs and task instances, in the caller's transaction: all of it becomes visible together, or nothing.
create or replace function pgbackfill.create_backfill(
  dag_id text,
  from_date timestamptz,
  to_date timestamptz,
  max_active_runs integer default 10,
  run_backwards boolean default false,
  dag_run_conf jsonb default '{}',
  reprocess_behavior text default 'none',
  run_on_latest_version boolean default true,
  triggering_user_name text default null,
  idempotency_key text default null,
  infos jsonb default null,
  on_failure text default 'continue'
)
returns setof pgbackfill.backfill_state
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set jit = off  -- compiling costs more than it could save here
as $$
declare
  v_request constant jsonb := jsonb_build_object(
    'dag_id', dag_id, 'from_date', from_date, 'to_date', to_date, 'max_active_runs', max_active_runs,
    'run_backwards', run_backwards, 'dag_run_conf', dag_run_conf, 'reprocess_behavior', reprocess_behavior,
    'run_on_latest_version', run_on_latest_version, 'triggering_user_name', triggering_user_name, 'infos', infos,
    'on_failure', on_failure
  );
  v_id integer;
  v_known_id integer;
  v_dag pgbackfill.serialized_dag;
  v_slots pgbackfill.dag_run_info[];
  v_plan pgbackfill.planned_slot[];
  v_runs record;
begin
  perform pgbackfill._check_arguments(from_date, to_date, run_backwards, reprocess_behavior);
  perform pgbackfill._check_creation_arguments(max_active_runs, run_on_latest_version, triggering_user_name);
  perform pgbackfill._check_on_failure(on_failure);

  v_id := nextval(pg_get_serial_sequence('public.backfill', 'id'));
  if idempotency_key is not null then
    v_known_id := pgbackfill._claim_idempotency_key(idempotency_key, v_request, v_id);
    if v_known_id <> v_id then
      return query select * from pgbackfill._backfill_state(v_known_id);
      return;
    end if;
  end if;

  -- Lock order: the idempotency key, the row of dag, the backfill row, then dag_run rows by id, then task_instance rows. The
  -- DAG is read once its row is held: whoever held it before may have written a new version.
  perform pgbackfill._hold_scheduled_runs(dag_id);
  v_dag := pgbackfill._dag(dag_id);
  perform pgbackfill._check_request(v_dag, from_date, to_date, run_backwards, reprocess_behavior, dag_run_conf);
  v_slots := pgbackfill._slots(v_dag, from_date, to_date, run_backwards, infos);
  if cardinality(v_slots) = 0 then
    raise exception 'no runs to create for DAG "%" between % and %',
      dag_id, pgbackfill._isoformat(from_date), pgbackfill._isoformat(to_date)
      using errcode = 'PB010', hint = 'A slot counts once its data interval has ended.';
  end if;

  perform pgbackfill._insert_backfill(v_id, v_request, dag_run_conf);
  v_plan := pgbackfill._plan(dag_id, v_slots, reprocess_behavior);
  v_runs := pgbackfill._create_runs(
    v_id, v_dag, v_plan, reprocess_behavior, run_on_latest_version, dag_run_conf, triggering_user_name
  );
  if on_failure <> 'continue' then
    perform pgbackfill._arm_failure_policy(v_id, dag_id, on_failure);
  end if;

  if v_runs.slots_cleared = 0 then
    return query
    select * from pgbackfill._created_state(v_id, v_runs.slots_created, cardinality(v_plan) - v_runs.slots_created, on_failure);
  else
    return query select * from pgbackfill._backfill_state(v_id);
  end if;
end
$$;

comment on function pgbackfill.create_backfill(text, timestamptz, timestamptz, integer, boolean, jsonb, text, boolean, text, text, jsonb, text) is
  'Creates a backfill of the slots between from_date and to_date (both inclusive) and returns it with its counts of slots. '
  'max_active_runs: how many of its runs may run at once. dag_run_conf: null leaves the conf of cleared runs as it is. '
  'reprocess_behavior: none, failed or completed. idempotency_key: a second call with the same key and request returns the first one''s backfill. '
  'infos: the slots, for a timetable that SQL cannot evaluate. on_failure: what the first failed run does, see set_failure_policy. '
  'PB001 another is active, PB002 unknown DAG, PB003 non-periodic, PB004 run type not allowed, PB005 direction, PB006 reprocess, PB007 future, PB008 range, '
  'PB009 conf, PB010 no slots, PB013 unsupported timetable, PB014 unsupported DAG, PB015 key reused, PB016 bad argument, 55P03 the DAG or a row is locked for longer than lock_timeout.';

revoke all on function pgbackfill.create_backfill(text, timestamptz, timestamptz, integer, boolean, jsonb, text, boolean, text, text, jsonb, text) from public;
