-- Records that a backfill was created, whoever created it.
create or replace function pgbackfill._record_creation()
returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
as $$
begin
  -- A creator whose backfill was cancelled may still be writing runs of the same dates, which will be undone at its commit
  -- (PB012). Its locks and ours could form a circle, so wait for its end first, while we hold nothing that it could want.
  perform
  from public.backfill b
  where b.dag_id = new.dag_id and b.completed_at is not null and b.initialized_at is null
  order by b.id
  for update;

  perform pgbackfill._record_event(new.id, new.dag_id, 'created');
  if new.initialized_at is not null then
    perform pgbackfill._record_event(new.id, new.dag_id, 'initialized');
  end if;
  return null;
end
$$;

comment on function pgbackfill._record_creation() is 'Trigger: event created, and initialized where the row says so.';

revoke all on function pgbackfill._record_creation() from public;
