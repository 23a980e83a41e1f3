-- All slots of all backfills with their runs.
create or replace view pgbackfill.backfill_dag_runs as
select * from pgbackfill._dag_run_state();

comment on view pgbackfill.backfill_dag_runs is
  'Every slot in run order with the state of its run, or the reason why it has none.';

revoke all on pgbackfill.backfill_dag_runs from public;
