-- The columns that a row of one table can take from a row of another.
create or replace function pgbackfill._shared_columns(p_source regclass, p_target regclass, p_but text[])
returns text
language sql
stable
set search_path = pg_catalog, pg_temp
as $$
  select string_agg(format('%I', t.attname), ', ' order by t.attnum)
  from pg_attribute t
  join pg_attribute s on s.attrelid = p_source and s.attname = t.attname and not s.attisdropped
  where t.attrelid = p_target
    and t.attnum > 0
    and not t.attisdropped
    and t.attname <> all (p_but);
$$;

comment on function pgbackfill._shared_columns(regclass, regclass, text[]) is
  'The quoted names, separated by commas, of the columns that both tables have, but those named.';

revoke all on function pgbackfill._shared_columns(regclass, regclass, text[]) from public;
