-- What does not move, and why.
create or replace view pgbackfill.stuck_dag_runs as
select * from pgbackfill._stuck_dag_runs();

comment on view pgbackfill.stuck_dag_runs is
  'Queued and running runs of backfills that wait for something, oldest first: the reason, what to do, and the runs that hold them up.';

revoke all on pgbackfill.stuck_dag_runs from public;
