-- The start of the data interval that follows p_start to p_end; null after the last.
create or replace function pgbackfill._cron_next_start(
  p_cron pgbackfill.cron_fields,
  p_zone text,
  p_first timestamptz,
  p_start timestamptz,
  p_end timestamptz
)
returns timestamptz
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_previous constant timestamptz := pgbackfill._cron_tick_before(p_cron, p_zone, p_end);
  v_start timestamptz;
begin
  -- Airflow aligns the end of the interval backwards; that is the end itself, except next to a change of the clock.
  v_start := case when pgbackfill._cron_tick_after(p_cron, p_zone, v_previous) = p_end then p_end else v_previous end;
  v_start := greatest(v_start, p_first);
  if v_start <= p_start then
    v_start := pgbackfill._cron_tick_after(p_cron, p_zone, v_start);
  end if;
  -- Here Airflow gives up ("did not advance past ... after one retry") and the rest of its schedule is lost.
  return case when v_start > p_start then v_start else p_end end;
end
$$;

comment on function pgbackfill._cron_next_start(pgbackfill.cron_fields, text, timestamptz, timestamptz, timestamptz) is
  'As CronDataIntervalTimetable.next_dagrun_info does it; p_first is the first start of the schedule.';

revoke all on function pgbackfill._cron_next_start(pgbackfill.cron_fields, text, timestamptz, timestamptz, timestamptz) from public;
