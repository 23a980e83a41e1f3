-- Whether Airflow can read this time: Python knows the years 1 to 9999 only.
create or replace function pgbackfill._is_python_date(p_at timestamptz)
returns boolean
language sql
immutable
as $$
  select p_at >= '0001-01-01 00:00:00+00' and p_at < '10000-01-01 00:00:00+00';
$$;

comment on function pgbackfill._is_python_date(timestamptz) is
  'True within the years 1 to 9999 (UTC). A time beyond them in a row makes every query of Airflow''s that reads it fail.';

revoke all on function pgbackfill._is_python_date(timestamptz) from public;
