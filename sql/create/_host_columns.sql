-- Which of these columns a table of Airflow's has.
create or replace function pgbackfill._host_columns(p_table regclass, p_columns text[])
returns text
language sql
stable
set search_path = pg_catalog, pg_temp
as $$
  select string_agg(format('%I', c.name), ', ' order by c.position)
  from unnest(p_columns) with ordinality as c(name, position)
  join pg_attribute a on a.attrelid = p_table and a.attname = c.name and a.attnum > 0 and not a.attisdropped;
$$;

comment on function pgbackfill._host_columns(regclass, text[]) is
  'The quoted names, in the order given and separated by commas, of those columns that the table has.';

revoke all on function pgbackfill._host_columns(regclass, text[]) from public;
