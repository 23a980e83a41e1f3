-- The backfills that are not complete.
create or replace view pgbackfill.active_backfills as
select * from pgbackfill._backfill_state(p_active_only => true);

comment on view pgbackfill.active_backfills is
  'The backfills without a completed_at, oldest first; at most one of each DAG.';

revoke all on pgbackfill.active_backfills from public;
