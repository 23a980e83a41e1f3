-- Whether a run failed at a moment when the policy could not be applied, because somebody held the backfill.
create or replace function pgbackfill._failure_policy_is_due(p_backfill_id integer)
returns boolean
language sql
stable
set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select
    from pgbackfill.failure_policy p
    join pgbackfill.event e on e.backfill_id = p.backfill_id and e.event = 'failure_policy_delayed' and e.occurred_at >= p.armed_at
    where p.backfill_id = p_backfill_id
      and p.applied_at is null
  );
$$;

comment on function pgbackfill._failure_policy_is_due(integer) is
  'True while a policy is armed (which ends with its backfill) and an event failure_policy_delayed is younger than it.';

revoke all on function pgbackfill._failure_policy_is_due(integer) from public;
