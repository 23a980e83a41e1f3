-- Keeps Airflow's scheduler from making runs of this DAG until the transaction ends; waits for one that is making them now.
create or replace function pgbackfill._hold_scheduled_runs(p_dag_id text)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  -- The scheduler takes the rows of dag `for update skip locked` and commits once it has made their runs. A run that came first
  -- would be a unique violation in its transaction, which ends it (#58942).
  perform from public.dag d where d.dag_id = p_dag_id for no key update;
end
$$;

comment on function pgbackfill._hold_scheduled_runs(text) is
  'Locks the row of dag as the scheduler does, so that the two never make runs of one DAG at once. Keys that refer to it are not held up.';

revoke all on function pgbackfill._hold_scheduled_runs(text) from public;
