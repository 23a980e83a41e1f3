-- Refuses a failure policy that there is not.
create or replace function pgbackfill._check_on_failure(p_on_failure text)
returns void
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  if p_on_failure in ('continue', 'pause', 'cancel') is not true then
    raise exception 'on_failure must be continue, pause or cancel, not %', coalesce('"' || p_on_failure || '"', 'null')
      using errcode = 'PB016';
  end if;
end
$$;

comment on function pgbackfill._check_on_failure(text) is
  'PB016 unless it is continue, pause or cancel.';

revoke all on function pgbackfill._check_on_failure(text) from public;
