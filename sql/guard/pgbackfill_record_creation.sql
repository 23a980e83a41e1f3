-- A new backfill leaves its mark in event.
create trigger pgbackfill_record_creation
after insert on public.backfill
for each row
execute function pgbackfill._record_creation();

comment on trigger pgbackfill_record_creation on public.backfill is 'pgbackfill: writes event for every new backfill.';
