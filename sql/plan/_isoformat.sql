-- An instant as Python's isoformat() writes it in UTC, which is how Airflow builds run ids.
create or replace function pgbackfill._isoformat(p_at timestamptz)
returns text
language sql
stable  -- as to_char is; anything stricter could not be inlined
as $$
  select
    pg_catalog.to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')
    || case
      when pg_catalog.date_trunc('second', p_at at time zone 'UTC') <> p_at at time zone 'UTC'
        then pg_catalog.to_char(p_at at time zone 'UTC', '.US')
      else ''
    end
    || '+00:00';
$$;

comment on function pgbackfill._isoformat(timestamptz) is
  'ISO 8601 in UTC with microseconds only where there are any, e.g. 2026-01-01T06:00:00+00:00.';

revoke all on function pgbackfill._isoformat(timestamptz) from public;
