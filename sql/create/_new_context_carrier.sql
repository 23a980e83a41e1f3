-- The trace context of a new run, as Airflow serializes it: of a new trace, or empty where the release makes none.
create or replace function pgbackfill._new_context_carrier(p_rules pgbackfill.release_rules, p_detail_level text)
returns jsonb
language sql
volatile  -- and without a search_path, so that it is inlined
as $$
  select pg_catalog.format(
    '{"__type": "dict", "__var": {%s%s}}',
    '"traceparent": "00-'
    -- 16 bytes of the trace, the time and a number, and 8 of the span: not secrets, only unlike others.
    || pg_catalog.encode(
      pg_catalog.timestamptz_send(pg_catalog.clock_timestamp())
      || pg_catalog.int8send(((pg_catalog.random() - 0.5) * 18446744073709551616)::bigint # pg_catalog.pg_backend_pid()),
      'hex'
    )
    || '-' || pg_catalog.encode(pg_catalog.int8send(((pg_catalog.random() - 0.5) * 18446744073709551616)::bigint # pg_catalog.pg_backend_pid()), 'hex')
    || '-' || p_rules.trace_flags || '"',
    case
      when p_rules.traces_detail_level and p_detail_level ~ '^[ \t\n\r\f\v]*[-+]?[0-9]{1,9}[ \t\n\r\f\v]*$'
        then ', "tracestate": "airflow/task_span_detail_level=' || nullif(p_detail_level::integer, 0) || '"'
    end
  )::jsonb;
$$;

comment on function pgbackfill._new_context_carrier(pgbackfill.release_rules, text) is
  'A W3C traceparent with a new trace and span id, as Airflow writes it while OpenTelemetry is off, and airflow/task_span_detail_level of the run''s conf.';

revoke all on function pgbackfill._new_context_carrier(pgbackfill.release_rules, text) from public;
