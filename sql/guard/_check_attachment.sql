-- Refuses a run of another DAG in a backfill, and remembers for the rest of the transaction that a DAG and a backfill go together.
create or replace function pgbackfill._check_attachment(p_backfill_id integer, p_dag_id text, p_run_id text)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_backfill record;
begin
  select
    b.dag_id,
    b.completed_at is not null and b.initialized_at is null as is_gone,
    coalesce(to_jsonb(b) ->> 'triggering_user_name', '') as user_name  -- a column from 3.1 on
  into v_backfill
  from public.backfill b
  where b.id = p_backfill_id;
  if not found then
    return;  -- the foreign key says so
  elsif v_backfill.dag_id <> p_dag_id then
    raise exception 'run "%" is of DAG "%", and backfill % is of DAG "%"', p_run_id, p_dag_id, p_backfill_id, v_backfill.dag_id
      using errcode = 'foreign_key_violation', table = 'dag_run', column = 'backfill_id';
  elsif v_backfill.is_gone then
    raise exception 'backfill % was cancelled while its runs were being written', p_backfill_id
      using errcode = 'PB012', hint = 'Nothing of it remains. Create it again.';
  end if;

  -- One look per transaction, however many runs: the callers compare before they ask.
  perform
    set_config('pgbackfill.attached', p_backfill_id || '/' || p_dag_id, true),
    set_config('pgbackfill.attached_user_name', v_backfill.user_name, true);
end
$$;

comment on function pgbackfill._check_attachment(integer, text, text) is
  '23503 for a run of another DAG (#50527), PB012 for a backfill that was cancelled before it was initialized. Sets pgbackfill.attached and pgbackfill.attached_user_name for the transaction.';

revoke all on function pgbackfill._check_attachment(integer, text, text) from public;
