-- Refuses a run of another DAG in a backfill, and names the user who asked for it.
create or replace function pgbackfill._on_attached_run()
returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_key constant text := new.backfill_id || '/' || new.dag_id;
  v_backfill record;
begin
  -- Looked up once per transaction and backfill, however many runs: the answer is kept for the rest of the transaction.
  if current_setting('pgbackfill.attached', true) is distinct from v_key then
    select
      b.dag_id,
      b.completed_at is not null and b.initialized_at is null as is_gone,
      coalesce(to_jsonb(b) ->> 'triggering_user_name', '') as user_name  -- a column from 3.1 on
    into v_backfill
    from public.backfill b
    where b.id = new.backfill_id;
    if not found then
      return new;  -- the foreign key says so
    elsif v_backfill.dag_id <> new.dag_id then
      raise exception 'run "%" is of DAG "%", and backfill % is of DAG "%"', new.run_id, new.dag_id, new.backfill_id, v_backfill.dag_id
        using errcode = 'foreign_key_violation', schema = tg_table_schema, table = tg_table_name, column = 'backfill_id';
    elsif v_backfill.is_gone then
      raise exception 'backfill % was cancelled while its runs were being written', new.backfill_id
        using errcode = 'PB012', hint = 'Nothing of it remains. Create it again.';
    end if;
    perform set_config('pgbackfill.attached', v_key, true), set_config('pgbackfill.attached_user_name', v_backfill.user_name, true);
  end if;

  if tg_op = 'UPDATE'
    and new.backfill_id is distinct from old.backfill_id
    and coalesce(to_jsonb(new) ->> 'triggering_user_name', '') <> coalesce(current_setting('pgbackfill.attached_user_name', true), '')
    and to_jsonb(new) ? 'triggering_user_name'
  then
    execute 'update public.dag_run set triggering_user_name = $1 where id = $2'
    using nullif(current_setting('pgbackfill.attached_user_name', true), ''), new.id;
  end if;
  return new;
end
$$;

comment on function pgbackfill._on_attached_run() is
  'Trigger: 23503 for a run of another DAG (#50527); a run that a backfill takes over gets that backfill''s triggering_user_name (#62126).';

revoke all on function pgbackfill._on_attached_run() from public;
