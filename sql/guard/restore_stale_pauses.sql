-- Sets is_paused again where the migration cleared it and nobody has changed the backfill since.
do $$
begin
  if to_regclass('public.backfill') is null then
    return;  -- airflow db reset
  end if;
  -- Lock order: backfill rows by id.
  with cleared as (
    select b.id
    from public.backfill b
    where b.completed_at is not null
      and not b.is_paused
      and exists (
        select
        from pgbackfill.event e
        where e.backfill_id = b.id
          and e.event = 'unpaused'
          and e.detail ->> 'by' = 'migration'
          and (e.detail ->> 'updated_at')::timestamptz = b.updated_at
      )
    order by b.id
    for no key update
  )
  update public.backfill b
  set is_paused = true
  from cleared
  where b.id = cleared.id;
end
$$;
