-- Every change to a live backfill passes the guard, and every flag set on one that has just been completed.
create trigger pgbackfill_guard_update
before update on public.backfill
for each row
when (old.completed_at is null or new.is_paused)
execute function pgbackfill._guard_backfill_update();

comment on trigger pgbackfill_guard_update on public.backfill is
  'pgbackfill: no completion too early, no stale is_paused, and event for every change of a live backfill.';
