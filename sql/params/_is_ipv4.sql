-- Whether a text is an IPv4 address to Python's ipaddress: four numbers up to 255, none with a leading zero.
create or replace function pgbackfill._is_ipv4(p_text text)
returns boolean
language sql
immutable
set search_path = pg_catalog, pg_temp
as $$
  select p_text || '.' ~ '^((25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])[.]){4}$';
$$;

comment on function pgbackfill._is_ipv4(text) is 'True of 192.0.2.1, false of 192.0.2.01.';

revoke all on function pgbackfill._is_ipv4(text) from public;
