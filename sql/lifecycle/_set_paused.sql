-- Sets is_paused of a live backfill.
create or replace function pgbackfill._set_paused(p_backfill_id integer, p_is_paused boolean)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  -- Lock order: the backfill row first, and alone. A sweep that holds it is about to complete it, so wait for its word.
  perform pgbackfill._lock_live_backfill(p_backfill_id);

  update public.backfill b
  set is_paused = p_is_paused,
      updated_at = pgbackfill._now()
  where b.id = p_backfill_id
    and coalesce(b.is_paused, false) <> p_is_paused;  -- Airflow leaves the flag null at times
end
$$;

comment on function pgbackfill._set_paused(integer, boolean) is
  'PB011 unknown id, PB012 already completed, PB016 null. A backfill that is so already is left untouched.';

revoke all on function pgbackfill._set_paused(integer, boolean) from public;
