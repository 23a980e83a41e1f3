-- The numbers of the range p_low-p_high/p_step in a cron field that goes from p_min to p_max.
create or replace function pgbackfill._cron_range(
  p_low integer,
  p_high integer,
  p_step integer,
  p_min integer,
  p_max integer
)
returns integer[]
language sql
immutable
set search_path = pg_catalog, pg_temp
as $$
  -- One value (5-5) means the whole field. A range that wraps around (fri-mon) goes on at p_min plus what the step has
  -- left over, of which croniter subtracts one too little unless nothing is left over.
  select case
    when p_low < p_high then array(select generate_series(p_low, p_high, p_step))
    when p_low = p_high then array(select generate_series(p_min, p_max, p_step))
    else array(select generate_series(p_low, p_max, p_step))
      || array(select generate_series(p_min + r.skipped, p_high, p_step))
  end
  from (
    select case when p_step > u.unused + 1 then p_step - u.unused else 0 end as skipped
    from (select (p_max - p_low) % p_step as unused) u
  ) r
$$;

comment on function pgbackfill._cron_range(integer, integer, integer, integer, integer) is
  'Expands as croniter does, oddities included: Airflow''s schedules follow them.';

revoke all on function pgbackfill._cron_range(integer, integer, integer, integer, integer) from public;
