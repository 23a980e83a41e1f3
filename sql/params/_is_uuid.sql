-- Whether a text is a UUID to jsonschema; null where Python's reading of it is too lenient to follow.
create or replace function pgbackfill._is_uuid(p_text text)
returns boolean
language sql
immutable
set search_path = pg_catalog, pg_temp
as $$
  select case
    when p_text ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then true
    when p_text !~ '^.{8}-.{4}-.{4}-.{4}-' then false
    when p_text ~ '^[0-9A-Fa-f-]*$' then length(replace(p_text, '-', '')) = 32
    when p_text ~ '^[!-~]*$' and p_text !~ '[{}_+xX:]' then false
  end;
$$;

comment on function pgbackfill._is_uuid(text) is 'True, false, or null for texts with braces, prefixes, signs or spaces, some of which Python takes.';

revoke all on function pgbackfill._is_uuid(text) from public;
