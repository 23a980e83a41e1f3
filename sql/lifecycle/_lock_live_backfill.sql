-- Locks a live backfill for a change of its state.
create or replace function pgbackfill._lock_live_backfill(p_backfill_id integer)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_completed_at timestamptz;
begin
  if p_backfill_id is null then
    raise exception 'backfill_id must not be null' using errcode = 'PB016';
  end if;

  -- As strong as an update needs and no stronger: a creation by Airflow that is under way is not waited for.
  select b.completed_at into v_completed_at from public.backfill b where b.id = p_backfill_id for no key update;
  if not found then
    raise exception 'backfill % not found', p_backfill_id using errcode = 'PB011';
  elsif v_completed_at is not null then
    raise exception 'backfill % is already completed', p_backfill_id using errcode = 'PB012';
  end if;
end
$$;

comment on function pgbackfill._lock_live_backfill(integer) is
  'Holds the backfill row until the transaction ends. PB011 unknown id, PB012 already completed, PB016 null.';

revoke all on function pgbackfill._lock_live_backfill(integer) from public;
