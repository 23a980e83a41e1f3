-- The weekdays (0 is Sunday) that an item of the weekday field stands for, with '#k' if the k-th, '#l' if the last.
create or replace function pgbackfill._cron_weekdays(p_item text, p_columns integer)
returns text[]
language sql
immutable
set search_path = pg_catalog, pg_temp
as $$
  -- fri#2 is the second Friday, mon-fri#2 the second one of each, l5 the last Friday.
  select case
    when n.parts is null then pgbackfill._cron_values(p_item, 5, p_columns)::text[]
    when n.parts[1] is null then (
      select array_agg(v || '#l')
      from unnest(pgbackfill._cron_values(n.parts[2], 5, p_columns)) v
    )
    when n.parts[2] ~ '^0*[1-5]$' then (
      select array_agg(v || '#' || n.parts[2]::integer)
      from unnest(pgbackfill._cron_values(n.parts[1], 5, p_columns)) v
    )
  end
  from (
    select regexp_match(p_item, '^(?:([a-z0-9_]+|[a-z]+-[a-z]+)#|l)([0-9]+)$') as parts
  ) n
$$;

comment on function pgbackfill._cron_weekdays(text, integer) is
  'p_item in lower case. Null for what croniter refuses.';

revoke all on function pgbackfill._cron_weekdays(text, integer) from public;
