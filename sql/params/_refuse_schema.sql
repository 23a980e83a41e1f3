-- Refuses a param whose schema is malformed, as Airflow refuses every conf of such a DAG.
create or replace function pgbackfill._refuse_schema(p_path text, p_reason text)
returns void
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception 'the schema of param % is malformed: %', left(p_path, 300), p_reason
    using errcode = 'PB009', hint = 'The fault is in the DAG: no conf can pass.';
end
$$;

comment on function pgbackfill._refuse_schema(text, text) is 'PB009, always.';

revoke all on function pgbackfill._refuse_schema(text, text) from public;
