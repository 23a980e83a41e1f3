-- Marks a backfill initialized when the transaction that wrote its slots commits, or undoes that transaction.
create or replace function pgbackfill._finish_initialization()
returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
as $$
declare
  v_backfill record;
begin
  update public.backfill b
  set initialized_at = pgbackfill._now()
  where b.id = new.backfill_id and b.initialized_at is null and b.completed_at is null;

  if not found then
    select b.initialized_at, b.completed_at into v_backfill from public.backfill b where b.id = new.backfill_id;
    if v_backfill.initialized_at is null and v_backfill.completed_at is not null then
      raise exception 'backfill % was cancelled while its runs were being written', new.backfill_id
        using errcode = 'PB012', hint = 'Nothing of it remains. Create it again.';
    end if;
  end if;
  return null;
end
$$;

comment on function pgbackfill._finish_initialization() is
  'Deferred trigger: sets initialized_at at commit. PB012 when the backfill was completed meanwhile, so that no run is left that nobody owns.';

revoke all on function pgbackfill._finish_initialization() from public;
