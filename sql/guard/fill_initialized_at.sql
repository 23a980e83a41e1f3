-- Marks as initialized what Airflow created while the guard was not there to do it, and records that.
do $$
declare
  v_recorded record;
begin
  -- Lock order: backfill rows by id, of a strength that a creation under way does not wait for.
  perform
  from public.backfill b
  where b.initialized_at is null
    and (b.completed_at is not null or exists (select from public.backfill_dag_run s where s.backfill_id = b.id))
  order by b.id
  for no key update;

  for v_recorded in
    -- Updated as they lie in the table, so that a dump after the removal has them in the order that it had before.
    with marked as (
      update public.backfill b
      set initialized_at = b.created_at
      where b.initialized_at is null
        and (b.completed_at is not null or exists (select from public.backfill_dag_run s where s.backfill_id = b.id))
      returning b.id, b.dag_id, b.initialized_at
    )
    insert into pgbackfill.event (backfill_id, dag_id, event, occurred_at, detail)
    select m.id, m.dag_id, 'initialized', m.initialized_at, '{"by": "migration", "why": "its runs were there before the guard was"}'
    from marked m
    order by m.id
    returning backfill_id, dag_id, event
  loop
    perform pg_notify('pgbackfill', json_build_object('id', v_recorded.backfill_id, 'dag_id', v_recorded.dag_id, 'event', v_recorded.event)::text);
  end loop;
end
$$;
