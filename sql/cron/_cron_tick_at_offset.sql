-- The tick that is p_offset ticks after p_at, or before it if p_offset is negative.
create or replace function pgbackfill._cron_tick_at_offset(
  p_cron pgbackfill.cron_fields,
  p_zone text,
  p_at timestamptz,
  p_offset integer
)
returns timestamptz
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_at timestamptz := p_at;
begin
  for n in 1 .. abs(p_offset) loop
    v_at := case
      when p_offset > 0 then pgbackfill._cron_tick_after(p_cron, p_zone, v_at)
      else pgbackfill._cron_tick_before(p_cron, p_zone, v_at)
    end;
  end loop;
  return v_at;
end
$$;

comment on function pgbackfill._cron_tick_at_offset(pgbackfill.cron_fields, text, timestamptz, integer) is
  'One tick after the other, as Airflow goes: beside a change of the clock the way back is not the way there.';

revoke all on function pgbackfill._cron_tick_at_offset(pgbackfill.cron_fields, text, timestamptz, integer) from public;
