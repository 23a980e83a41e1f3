-- The path of a member of a JSON object, in one line: .name, or ["odd name"].
create or replace function pgbackfill._path_step(p_path text, p_name text)
returns text
language sql
immutable
as $$
  select case
    when p_name operator(pg_catalog.~) '^[A-Za-z_][A-Za-z0-9_]{0,60}$' then pg_catalog.concat(p_path, '.', p_name)
    else pg_catalog.concat(p_path, '[', pg_catalog.to_json(pg_catalog.left(p_name, 60)), ']')
  end;
$$;

comment on function pgbackfill._path_step(text, text) is 'A path with one more name; a long name is cut.';

revoke all on function pgbackfill._path_step(text, text) from public;
