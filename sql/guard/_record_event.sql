-- Records what happened to a backfill, and announces it on the channel pgbackfill when the transaction commits.
create or replace function pgbackfill._record_event(p_backfill_id integer, p_dag_id text, p_event text, p_detail jsonb default '{}')
returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into pgbackfill.event (backfill_id, dag_id, event, occurred_at, detail)
  values (p_backfill_id, p_dag_id, p_event, pgbackfill._now(), p_detail);

  select pg_notify('pgbackfill', json_build_object('id', p_backfill_id, 'dag_id', p_dag_id, 'event', p_event)::text);
$$;

comment on function pgbackfill._record_event(integer, text, text, jsonb) is
  'One row in event and one NOTIFY pgbackfill with id, dag_id and event as JSON.';

revoke all on function pgbackfill._record_event(integer, text, text, jsonb) from public;
