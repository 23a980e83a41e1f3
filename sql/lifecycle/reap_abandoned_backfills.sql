-- Completes the backfills whose creator died between its two transactions, so that their DAGs are free again.
create or replace function pgbackfill.reap_abandoned_backfills(grace interval default '2 minutes')
returns setof pgbackfill.backfill_state
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set jit = off  -- compiling costs more than it could save here
as $$
declare
  v_reaped integer[];
begin
  if grace is null or not isfinite(pgbackfill._now() - grace) or grace < interval '0' then
    raise exception 'grace must be a duration of zero or more, not %', coalesce(grace::text, 'null') using errcode = 'PB016';
  end if;
  perform set_config('pgbackfill.initialization_grace', extract(epoch from grace)::text, true);

  -- Lock order: backfill rows by id. FOR UPDATE, because it skips a row exactly while its creator is alive.
  with abandoned as (
    select b.id
    from public.backfill b
    where b.completed_at is null
      and b.initialized_at is null
      and not exists (select from public.backfill_dag_run s where s.backfill_id = b.id)
      and b.created_at <= (select pgbackfill._now()) - grace
    order by b.id
    for update skip locked
  ),
  reaped as (
    update public.backfill b
    set completed_at = n.at,
        updated_at = n.at
    from abandoned a
    cross join (select pgbackfill._now() as at) n
    where b.id = a.id
    returning b.id, b.completed_at
  )
  select array_agg(r.id) into v_reaped from reaped r where r.completed_at is not null;
  perform set_config('pgbackfill.initialization_grace', '', true);

  return query
  select s.*
  from unnest(v_reaped) as r(id)
  cross join lateral pgbackfill._backfill_state(r.id) s
  order by s.id;
end
$$;

comment on function pgbackfill.reap_abandoned_backfills(interval) is
  'Completes, as abandoned, each backfill that was never initialized, whose creator is gone, and that is older than grace; returns them. One whose creator is alive is left, however old. Never waits for a lock. PB016 bad grace.';

revoke all on function pgbackfill.reap_abandoned_backfills(interval) from public;
