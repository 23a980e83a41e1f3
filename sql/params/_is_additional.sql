-- Whether a member of an object is named neither by properties nor by patternProperties.
create or replace function pgbackfill._is_additional(p_name text, p_schema jsonb, p_path text)
returns boolean
language sql
immutable
set search_path = pg_catalog, pg_temp
as $$
  select not coalesce(p_schema -> 'properties' ? p_name, false) and not exists (
    select
    from jsonb_object_keys(p_schema -> 'patternProperties') as k
    where pgbackfill._matches_pattern(p_name, k, p_path)
  );
$$;

comment on function pgbackfill._is_additional(text, jsonb, text) is 'For additionalProperties. PB014 as _matches_pattern.';

revoke all on function pgbackfill._is_additional(text, jsonb, text) from public;
