-- Records that a backfill was created, whoever created it.
create or replace function pgbackfill._record_creation()
returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  perform pgbackfill._record_event(new.id, new.dag_id, 'created');
  if new.initialized_at is not null then
    perform pgbackfill._record_event(new.id, new.dag_id, 'initialized');
  end if;
  return null;
end
$$;

comment on function pgbackfill._record_creation() is 'Trigger: event created, and initialized where the row says so.';

revoke all on function pgbackfill._record_creation() from public;
