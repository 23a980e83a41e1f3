-- How far each backfill is.
create or replace view pgbackfill.backfill_progress as
select * from pgbackfill._backfill_progress();

comment on view pgbackfill.backfill_progress is
  'How far each backfill is: its slots by state, the percentage finished, and when it will be done at the pace so far.';

revoke all on pgbackfill.backfill_progress from public;
