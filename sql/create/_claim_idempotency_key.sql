-- Ties an idempotency key to a backfill that is being created, or answers with the one that it is tied to already.
create or replace function pgbackfill._claim_idempotency_key(p_key text, p_request jsonb, p_backfill_id integer)
returns integer
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  v_known pgbackfill.idempotency_key;
begin
  if p_key = '' or length(p_key) > 255 then
    raise exception 'idempotency_key must have 1 to 255 characters, not %', length(p_key) using errcode = 'PB016';
  end if;

  -- Waits for a creation with the same key that is under way: its answer is ours, unless it is rolled back.
  insert into pgbackfill.idempotency_key (key, request, backfill_id, created_at)
  values (p_key, p_request, p_backfill_id, pgbackfill._now())
  on conflict (key) do nothing;
  if found then
    return p_backfill_id;
  end if;

  select * into v_known from pgbackfill.idempotency_key k where k.key = p_key for update;
  if v_known.request <> p_request then
    raise exception 'idempotency_key "%" was used with another request', p_key
      using errcode = 'PB015',
        detail = format('It created backfill %s of DAG "%s".', v_known.backfill_id, v_known.request ->> 'dag_id'),
        hint = 'Use a new key for a new request.';
  elsif exists (select from public.backfill b where b.id = v_known.backfill_id) then
    return v_known.backfill_id;
  end if;

  update pgbackfill.idempotency_key k  -- the backfill was deleted, so the key is free again
  set backfill_id = p_backfill_id, created_at = pgbackfill._now()
  where k.key = p_key;
  return p_backfill_id;
end
$$;

comment on function pgbackfill._claim_idempotency_key(text, jsonb, integer) is
  'The id of the backfill that the key stands for: the one given, or that of the first request. PB015 same key with another request, PB016 bad key.';

revoke all on function pgbackfill._claim_idempotency_key(text, jsonb, integer) from public;
