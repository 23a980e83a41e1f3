-- Whether the runs of a backfill are still being written, or may be about to be.
create or replace function pgbackfill._is_initializing(p_backfill_id integer)
returns boolean
language sql
set search_path = pg_catalog, pg_temp
as $$
  select
    b.initialized_at is null
    and (
      b.created_at > pgbackfill._now() - pgbackfill._initialization_grace()
      or pgbackfill._creator_is_alive(b.id)
    )
  from public.backfill b
  where b.id = p_backfill_id;
$$;

comment on function pgbackfill._is_initializing(integer) is
  'True within the grace and while a creator''s transaction is open, of a backfill that is not initialized.';

revoke all on function pgbackfill._is_initializing(integer) from public;
