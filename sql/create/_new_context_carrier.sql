-- The trace context of a new run, as Airflow serializes it: a new trace, not sampled.
create or replace function pgbackfill._new_context_carrier()
returns jsonb
language sql
volatile
as $$
  select pg_catalog.format(
    '{"__type": "dict", "__var": {"traceparent": "00-%s-%s-00"}}',
    pg_catalog.replace(pg_catalog.gen_random_uuid()::text, '-', ''),
    pg_catalog.lpad(pg_catalog.to_hex((pg_catalog.random() * 9007199254740991)::bigint), 16, '0')  -- not a secret, only unlike others
  )::jsonb;
$$;

comment on function pgbackfill._new_context_carrier() is
  'A W3C traceparent with a random trace and span id, flag 00, which is what Airflow writes while OpenTelemetry is off.';

revoke all on function pgbackfill._new_context_carrier() from public;
