-- Makes runs that were cleared those of a backfill.
create or replace function pgbackfill._adopt_dag_runs(
  p_backfill_id integer,
  p_dag_run_ids integer[],
  p_rules pgbackfill.release_rules,
  p_dag_run_conf jsonb,
  p_triggering_user_name text
)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  -- Airflow leaves the name of who asked for the run before (#62126).
  v_user_name constant text := case
    when pgbackfill._host_columns('public.dag_run', '{triggering_user_name}') is not null then 'triggering_user_name = $5,'
  end;
begin
  execute format(
    $update$
      update public.dag_run r
      set backfill_id = $1,
          run_type = 'backfill',
          triggered_by = 'BACKFILL',
          %s
          conf = case when $3 then coalesce($4, r.conf::jsonb) else r.conf::jsonb end,
          updated_at = $6
      where r.id = any ($2)
    $update$,
    v_user_name
  )
  using p_backfill_id, p_dag_run_ids, p_rules.replaces_conf, p_dag_run_conf, p_triggering_user_name, pgbackfill._now();
end
$$;

comment on function pgbackfill._adopt_dag_runs(integer, integer[], pgbackfill.release_rules, jsonb, text) is
  'Airflow''s _handle_clear_run once it has cleared, and the user who asks now.';

revoke all on function pgbackfill._adopt_dag_runs(integer, integer[], pgbackfill.release_rules, jsonb, text) from public;
