-- Whether the transaction that writes the runs of a backfill is still open. Holds the row's lock when it is not.
create or replace function pgbackfill._creator_is_alive(p_backfill_id integer)
returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  -- Every dag_run that Airflow inserts holds FOR KEY SHARE on the backfill row by its foreign key until its transaction
  -- ends, so FOR UPDATE skips the row exactly while such a transaction is open. Never waits.
  perform from public.backfill b where b.id = p_backfill_id for update skip locked;
  return not found;
end
$$;

comment on function pgbackfill._creator_is_alive(integer) is
  'True while a transaction that inserted runs of this backfill is open. Not a guess by age: a row lock tells.';

revoke all on function pgbackfill._creator_is_alive(integer) from public;
