-- Whether the slots of a backfill are there.
create or replace function pgbackfill._has_slots(p_backfill_id integer)
returns boolean
language sql
stable
set search_path = pg_catalog, pg_temp
as $$
  select exists (select from public.backfill_dag_run s where s.backfill_id = p_backfill_id);
$$;

comment on function pgbackfill._has_slots(integer) is 'True once a slot of the backfill has been committed.';

revoke all on function pgbackfill._has_slots(integer) from public;
