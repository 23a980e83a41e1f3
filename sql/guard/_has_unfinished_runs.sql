-- Whether a run of a backfill is queued or running.
create or replace function pgbackfill._has_unfinished_runs(p_backfill_id integer)
returns boolean
language sql
stable
set search_path = pg_catalog, pg_temp
as $$
  select exists (select from public.dag_run r where r.backfill_id = p_backfill_id and r.state in ('queued', 'running'));
$$;

comment on function pgbackfill._has_unfinished_runs(integer) is 'True while a run of the backfill is queued or running.';

revoke all on function pgbackfill._has_unfinished_runs(integer) from public;
