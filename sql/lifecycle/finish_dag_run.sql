-- Finishes a running run of a backfill, with the task instances that it still has open.
create or replace function pgbackfill.finish_dag_run(dag_run_id integer, state text)
returns setof pgbackfill.dag_run_state
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set jit = off  -- compiling costs more than it could save here
as $$
declare
  v_now constant timestamptz := pgbackfill._now();
  v_run record;
begin
  if dag_run_id is null then
    raise exception 'dag_run_id must not be null' using errcode = 'PB016';
  elsif state in ('success', 'failed') is not true then
    raise exception 'state must be success or failed, not %', coalesce('"' || state || '"', 'null') using errcode = 'PB016';
  end if;

  -- Lock order: the dag_run row, then its task_instance rows.
  select r.dag_id, r.run_id, r.state, r.backfill_id
  into v_run
  from public.dag_run r
  where r.id = finish_dag_run.dag_run_id
  for no key update;

  if not found or v_run.backfill_id is null then
    raise exception 'run % of a backfill not found', finish_dag_run.dag_run_id using errcode = 'PB016';
  elsif v_run.state not in ('running', finish_dag_run.state) then
    raise exception 'run % is %, so it cannot become %', finish_dag_run.dag_run_id, v_run.state, finish_dag_run.state
      using errcode = 'PB016', hint = 'Only a running run can be finished; start_queued_dag_runs starts them.';
  end if;

  if v_run.state = 'running' then
    update public.dag_run r
    set state = finish_dag_run.state,
        end_date = v_now,
        updated_at = v_now
    where r.id = finish_dag_run.dag_run_id;
    perform pgbackfill._finish_task_instances(v_run.dag_id, v_run.run_id, finish_dag_run.state);
  end if;

  return query select * from pgbackfill._dag_run_state(p_dag_run_ids => array[finish_dag_run.dag_run_id]);
end
$$;

comment on function pgbackfill.finish_dag_run(integer, text) is
  'Makes a running run of a backfill success or failed and returns it; finishing it again with the same state changes nothing. PB016 unknown run, other state, or a run that is not running.';

revoke all on function pgbackfill.finish_dag_run(integer, text) from public;
