-- Whether this very transaction has cancelled a backfill because a run of it failed.
create or replace function pgbackfill._was_cancelled_here(p_backfill_id integer)
returns boolean
language sql
stable
set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select
    from pgbackfill.failure_policy p
    where p.backfill_id = p_backfill_id and p.on_failure = 'cancel' and p.applied_by = pg_current_xact_id()
  );
$$;

comment on function pgbackfill._was_cancelled_here(integer) is 'True for the rest of the transaction that applied the policy cancel.';

revoke all on function pgbackfill._was_cancelled_here(integer) from public;
