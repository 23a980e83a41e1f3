-- Refuses to decide by a snapshot that is older than the locks that the decision takes.
create or replace function pgbackfill._check_read_committed(p_function text)
returns void
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
begin
  if current_setting('transaction_isolation') not in ('read committed', 'read uncommitted') then
    raise exception '% must be called in a read committed transaction', p_function using errcode = 'PB016';
  end if;
end
$$;

comment on function pgbackfill._check_read_committed(text) is 'PB016 in an isolation level above READ COMMITTED.';

revoke all on function pgbackfill._check_read_committed(text) from public;
