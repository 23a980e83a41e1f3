-- The release of Airflow whose tables these are: 0 for 3.0, 1 for 3.1, 2 for 3.2, 3 for 3.3 and later.
create or replace function pgbackfill._airflow_minor()
returns integer
language plpgsql  -- which keeps the plan
stable
set search_path = pg_catalog, pg_temp
as $$
begin
  -- A release is known by a column that came with it.
  return coalesce(max(c.minor), 0)
  from (
    values
      (1, 'public.dag_run'::regclass, 'triggering_user_name'),
      (2, 'public.dag_run', 'partition_key'),
      (3, 'public.task_instance', 'retry_reason')
  ) c(minor, host_table, name)
  join pg_attribute a on a.attrelid = c.host_table and a.attname = c.name and not a.attisdropped;
end
$$;

comment on function pgbackfill._airflow_minor() is
  'The tables that pgbackfill made itself, where no Airflow is, are those of 3.3.';

revoke all on function pgbackfill._airflow_minor() from public;
