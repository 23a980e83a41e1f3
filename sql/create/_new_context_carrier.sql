-- The trace context of a new run, as Airflow serializes it: a new trace, not sampled.
create or replace function pgbackfill._new_context_carrier()
returns jsonb
language sql
volatile
as $$
  select pg_catalog.jsonb_build_object(
    '__type', 'dict',
    '__var', pg_catalog.jsonb_build_object(
      'traceparent',
      '00-' || pg_catalog.replace(pg_catalog.gen_random_uuid()::text, '-', '')
      || '-' || pg_catalog.right(pg_catalog.replace(pg_catalog.gen_random_uuid()::text, '-', ''), 16)
      || '-00'
    )
  );
$$;

comment on function pgbackfill._new_context_carrier() is
  'A W3C traceparent with a random trace and span id, flag 00, which is what Airflow writes while OpenTelemetry is off.';

revoke all on function pgbackfill._new_context_carrier() from public;
