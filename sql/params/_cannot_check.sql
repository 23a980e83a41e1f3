-- Refuses a param that only Airflow can check.
create or replace function pgbackfill._cannot_check(p_path text, p_reason text)
returns void
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  raise exception 'SQL cannot check param %: %', left(p_path, 300), p_reason
    using errcode = 'PB014', hint = 'Leave this param out of dag_run_conf, so that its default holds, or create this backfill with Airflow itself.';
end
$$;

comment on function pgbackfill._cannot_check(text, text) is 'PB014, always.';

revoke all on function pgbackfill._cannot_check(text, text) from public;
