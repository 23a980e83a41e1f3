-- Whether a paused backfill that is being completed was cancelled, rather than done.
create or replace function pgbackfill._was_cut_short(p_backfill_id integer)
returns boolean
language sql
stable
set search_path = pg_catalog, pg_temp
as $$
  -- A cancel fails the queued runs, which therefore never started, and leaves running ones alone.
  select
    not pgbackfill._has_slots(p_backfill_id)
    or exists (
      select
      from public.dag_run r
      where r.backfill_id = p_backfill_id
        and (r.state in ('queued', 'running') or (r.state = 'failed' and r.start_date is null))
    );
$$;

comment on function pgbackfill._was_cut_short(integer) is
  'True when the backfill has runs that never finished or never started, or no slots at all.';

revoke all on function pgbackfill._was_cut_short(integer) from public;
