-- Sets what the next failed run of a backfill does to it. The caller holds the backfill row.
create or replace function pgbackfill._arm_failure_policy(p_backfill_id integer, p_dag_id text, p_on_failure text)
returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  delete from pgbackfill.failure_policy p where p.backfill_id = p_backfill_id;
  if p_on_failure <> 'continue' then
    insert into pgbackfill.failure_policy (backfill_id, on_failure, armed_at)
    values (p_backfill_id, p_on_failure, pgbackfill._now());
  end if;
  perform pgbackfill._record_event(p_backfill_id, p_dag_id, 'failure_policy_set', jsonb_build_object('on_failure', p_on_failure));
end
$$;

comment on function pgbackfill._arm_failure_policy(integer, text, text) is
  'Arms pause or cancel, disarms with continue, and records failure_policy_set.';

revoke all on function pgbackfill._arm_failure_policy(integer, text, text) from public;
