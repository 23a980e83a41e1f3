-- Inserts the backfill row, or raises PB001 when another backfill of the DAG is active. The unique index decides the race.
create or replace function pgbackfill._insert_backfill(p_id integer, p_request jsonb, p_dag_run_conf jsonb)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_now constant timestamptz := pgbackfill._now();
  -- A null dag_run_conf is the JSON null of Airflow: cleared runs keep the conf that they have.
  v_conf constant jsonb := case
    when p_dag_run_conf is not null then p_dag_run_conf
    when (pgbackfill._release_rules()).keeps_null_conf then 'null'
    else '{}'
  end;
  v_columns constant text := pgbackfill._host_columns(
    'public.backfill',
    array[
      'id', 'dag_id', 'from_date', 'to_date', 'dag_run_conf', 'is_paused', 'reprocess_behavior', 'max_active_runs',
      'created_at', 'updated_at', 'initialized_at', 'triggering_user_name'
    ]
  );
  v_id integer;
  v_active integer;
begin
  -- Waits for a creation of the same DAG that is under way, then either finds it rolled back or does nothing.
  execute format(
    $insert$
      insert into public.backfill (%1$s)
      select %1$s
      from (
        select
          $1 as id,
          r.dag_id, r.from_date, r.to_date,
          $3::json as dag_run_conf,
          false as is_paused,
          r.reprocess_behavior, r.max_active_runs,
          $4 as created_at, $4 as updated_at, $4 as initialized_at,
          r.triggering_user_name
        from jsonb_to_record($2) as r(
          dag_id text, from_date timestamptz, to_date timestamptz, reprocess_behavior text, max_active_runs integer,
          triggering_user_name text
        )
      ) r
      on conflict (dag_id) where completed_at is null do nothing
      returning id
    $insert$,
    v_columns
  )
  into v_id
  using p_id, p_request, v_conf, v_now;

  if v_id is null then
    select b.id into v_active from public.backfill b where b.dag_id = p_request ->> 'dag_id' and b.completed_at is null;
    raise exception 'another backfill of DAG "%" is active', p_request ->> 'dag_id'
      using errcode = 'PB001',
        detail = format('active backfill: %s', coalesce(v_active::text, 'just completed')),
        hint = 'There can be only one active backfill per DAG: wait for it, or cancel it.';
  end if;
end
$$;

comment on function pgbackfill._insert_backfill(integer, jsonb, jsonb) is
  'Writes the row of a new, already initialized backfill. PB001 with the active one''s id in DETAIL.';

revoke all on function pgbackfill._insert_backfill(integer, jsonb, jsonb) from public;
