-- Sets what the next failed run of a live backfill does to it, whoever created it.
create or replace function pgbackfill.set_failure_policy(backfill_id integer, on_failure text)
returns setof pgbackfill.backfill_state
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set jit = off  -- compiling costs more than it could save here
as $$
begin
  perform pgbackfill._check_on_failure(on_failure);
  perform pgbackfill._lock_live_backfill(set_failure_policy.backfill_id);
  perform pgbackfill._arm_failure_policy(b.id, b.dag_id, on_failure) from public.backfill b where b.id = set_failure_policy.backfill_id;
  return query select * from pgbackfill._backfill_state(set_failure_policy.backfill_id);
end
$$;

comment on function pgbackfill.set_failure_policy(integer, text) is
  'continue: failed runs change nothing. pause: the next run that fails pauses the backfill, cancel: cancels it, in the transaction that records the failure; '
  'once: after that, the policy has to be set again. Runs that failed before do not count. Returns the backfill. PB011 unknown id, PB012 already completed, PB016 bad argument.';

revoke all on function pgbackfill.set_failure_policy(integer, text) from public;
