-- The trace context of a new run, as Airflow serializes it: of a new trace, or empty where the release makes none.
create or replace function pgbackfill._new_context_carrier(p_rules pgbackfill.release_rules, p_detail_level text)
returns jsonb
language sql
volatile  -- and without a search_path, so that it is inlined
as $$
  select pg_catalog.jsonb_build_object('__type', 'dict', '__var', pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
    'traceparent', case
      when p_rules.trace_flags is not null then pg_catalog.format(
        '00-%s-%s-%s',
        pg_catalog.replace(pg_catalog.gen_random_uuid()::text, '-', ''),
        pg_catalog.lpad(pg_catalog.to_hex((pg_catalog.random() * 9007199254740991)::bigint), 16, '0'),  -- not a secret, only unlike others
        p_rules.trace_flags
      )
    end,
    'tracestate', case
      when p_rules.traces_detail_level and p_detail_level ~ '^\s*[-+]?[0-9]{1,9}\s*$'
        then 'airflow/task_span_detail_level=' || nullif(p_detail_level::integer, 0)
    end
  )));
$$;

comment on function pgbackfill._new_context_carrier(pgbackfill.release_rules, text) is
  'A W3C traceparent with a random trace and span id, as Airflow writes it while OpenTelemetry is off, and airflow/task_span_detail_level of the run''s conf.';

revoke all on function pgbackfill._new_context_carrier(pgbackfill.release_rules, text) from public;
