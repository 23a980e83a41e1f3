-- What should not be there: no row means that every backfill keeps the rules.
create or replace view pgbackfill.anomalies as
select * from pgbackfill._anomalies();

comment on view pgbackfill.anomalies is
  'One row per rule that is broken, with what to do. Empty on a healthy database. Reads the tables of backfills in full.';

revoke all on pgbackfill.anomalies from public;
