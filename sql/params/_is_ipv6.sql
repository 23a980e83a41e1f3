-- Whether a text is an IPv6 address to Python's ipaddress, without a scope.
create or replace function pgbackfill._is_ipv6(p_text text)
returns boolean
language sql
immutable
set search_path = pg_catalog, pg_temp
as $$
  with address as (
    -- An IPv4 address at the end stands for two groups.
    select case
      when p_text ~ ':[0-9.]*[.][0-9.]*$' and pgbackfill._is_ipv4(substring(p_text from '[^:]*$'))
        then regexp_replace(p_text, '[^:]*$', '0:0')
      else p_text
    end as text
  )
  select text ~ '^([0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}$'
    or (
      text ~ '^([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4})*)?::([0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4})*)?$'
      and (select count(*) from regexp_matches(text, '[0-9A-Fa-f]+', 'g')) <= 7
    )
  from address;
$$;

comment on function pgbackfill._is_ipv6(text) is 'Eight groups of hexadecimal digits, of which :: stands for one or more.';

revoke all on function pgbackfill._is_ipv6(text) from public;
