-- Cancels the backfills that the caller holds and has listed in the setting pgbackfill.closing, and records that.
do $$
declare
  v_closing constant jsonb := current_setting('pgbackfill.closing');  -- [{"id": 7, "kept": 5}, ...]
  v_ids constant integer[] := array(select (c ->> 'id')::integer from jsonb_array_elements(v_closing) c);
  v_last_event constant bigint := (select coalesce(max(e.id), 0) from pgbackfill.event e);
  v_now constant timestamptz := clock_timestamp();  -- pgbackfill._now() is not there yet
  v_id integer;
  v_backfill record;
begin
  -- Airflow commits a backfill before it writes its runs, and would write them all the same.
  select b.id
  into v_id
  from public.backfill b
  where b.id = any (v_ids)
    and b.created_at > v_now - interval '2 minutes'
    and not exists (select from public.backfill_dag_run s where s.backfill_id = b.id)
  order by b.id
  limit 1;
  if found then
    raise exception 'backfill % is less than two minutes old and has no runs yet', v_id
      using errcode = 'object_in_use', hint = 'Its creation may be under way: try again in a moment.';
  end if;

  -- Lock order: the backfill rows are held, now their dag_run rows by id.
  update public.dag_run r
  set state = 'failed',
      end_date = v_now,
      updated_at = v_now
  where r.id in (
    select q.id from public.dag_run q where q.backfill_id = any (v_ids) and q.state = 'queued' order by q.id for update
  );

  update public.backfill b
  set is_paused = true,  -- tells the guard, where it stands, that this is a cancel
      completed_at = v_now,
      updated_at = v_now
  where b.id = any (v_ids);

  update public.backfill b
  set is_paused = false  -- where no guard has done it: the flag would strand runs that are cleared later
  where b.id = any (v_ids) and b.is_paused;

  for v_backfill in
    select b.id, b.dag_id, b.completed_at, jsonb_build_object('by', 'repair', 'kept', c -> 'kept') as detail
    from jsonb_array_elements(v_closing) c
    join public.backfill b on b.id = (c ->> 'id')::integer
    order by b.id
  loop
    if v_backfill.completed_at is null then
      raise exception 'backfill % is still being created', v_backfill.id
        using errcode = 'object_in_use', hint = 'Try again in a moment.';
    end if;

    -- The guard, where it stands, has recorded it already.
    update pgbackfill.event e
    set detail = e.detail || v_backfill.detail
    where e.id > v_last_event and e.backfill_id = v_backfill.id and e.event in ('cancelled', 'completed');
    if not found then
      insert into pgbackfill.event (backfill_id, dag_id, event, occurred_at, detail)
      values (v_backfill.id, v_backfill.dag_id, 'cancelled', v_now, v_backfill.detail);
      perform pg_notify('pgbackfill', json_build_object('id', v_backfill.id, 'dag_id', v_backfill.dag_id, 'event', 'cancelled')::text);
    end if;
  end loop;
end
$$;
