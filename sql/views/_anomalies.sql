-- Every rule that something in the database breaks.
create or replace function pgbackfill._anomalies()
returns setof pgbackfill.anomaly
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set jit = off  -- compiling costs more than it could save here
rows 10
as $$
begin
  return query
  select *
  from (
    select * from pgbackfill._backfill_anomalies()
    union all
    select * from pgbackfill._slot_anomalies()
    union all
    select * from pgbackfill._run_anomalies()
  ) a
  order by a.backfill_id, a.anomaly, a.dag_run_id;
end
$$;

comment on function pgbackfill._anomalies() is 'What the view anomalies shows.';

revoke all on function pgbackfill._anomalies() from public;
