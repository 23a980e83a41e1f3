-- The numbers among what a cron field allows, ascending; null if it allows any.
create or replace function pgbackfill._cron_list(p_allowed text[])
returns integer[]
language sql
immutable
set search_path = pg_catalog, pg_temp
as $$
  select case
    when '*' = any(p_allowed) then null
    else array(select distinct a::integer from unnest(p_allowed) a where a ~ '^[0-9]+$' order by 1)
  end
$$;

comment on function pgbackfill._cron_list(text[]) is
  'p_allowed is what _cron_field returns.';

revoke all on function pgbackfill._cron_list(text[]) from public;
