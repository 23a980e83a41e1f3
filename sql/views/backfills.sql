-- All backfills with their status.
create or replace view pgbackfill.backfills as
select * from pgbackfill._backfill_state();

comment on view pgbackfill.backfills is
  'All backfills, oldest first, whoever created them: their settings, status, and counts of slots.';

revoke all on pgbackfill.backfills from public;
