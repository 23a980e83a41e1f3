-- Clears is_paused of completed backfills, which kept runs that were cleared later in queued for ever (#72337), and records that.
do $$
declare
  v_recorded record;
begin
  -- Lock order: backfill rows by id. All are completed, so nobody who runs backfills waits for them.
  perform from public.backfill b where b.completed_at is not null and b.is_paused order by b.id for no key update;

  for v_recorded in
    with cleared as (
      update public.backfill b
      set is_paused = false  -- and no new updated_at: it tells the removal whether anybody else has touched the row since
      where b.completed_at is not null and b.is_paused
      returning b.id, b.dag_id, b.completed_at, b.updated_at
    ),
    happened as (
      -- The flag was the only sign that it had been cancelled.
      select c.id, c.dag_id, 1 as step, 'cancelled' as event, c.completed_at as at,
        '{"by": "migration", "why": "is_paused was set when it was completed"}'::jsonb as detail
      from cleared c
      where not exists (
        select
        from pgbackfill.event e
        where e.backfill_id = c.id and e.event in ('cancelled', 'completed', 'initialization_failed')
      )
      union all
      select c.id, c.dag_id, 2, 'unpaused', clock_timestamp(),
        jsonb_build_object('by', 'migration', 'why', 'is_paused kept its cleared runs in queued (#72337)', 'updated_at', c.updated_at)
      from cleared c
    )
    insert into pgbackfill.event (backfill_id, dag_id, event, occurred_at, detail)
    select h.id, h.dag_id, h.event, h.at, h.detail
    from happened h
    order by h.id, h.step
    returning backfill_id, dag_id, event
  loop
    perform pg_notify('pgbackfill', json_build_object('id', v_recorded.backfill_id, 'dag_id', v_recorded.dag_id, 'event', v_recorded.event)::text);
  end loop;
end
$$;
