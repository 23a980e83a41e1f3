-- The start of the data interval that follows p_start to p_end.
create or replace function pgbackfill._cron_next_start(
  p_cron pgbackfill.cron_fields,
  p_zone text,
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
begin
  -- Airflow aligns the end of the interval backwards; that is the end itself, except next to a change of the clock. Where
  -- it is no later than p_start, Airflow gives up ("did not advance past ..."), and the rest of its schedule is lost.
  return case
    when v_previous > p_start and pgbackfill._cron_tick_after(p_cron, p_zone, v_previous) <> p_end then v_previous
    else p_end
  end;
end
$$;

comment on function pgbackfill._cron_next_start(pgbackfill.cron_fields, text, timestamptz, timestamptz) is
  'As CronDataIntervalTimetable.next_dagrun_info finds it.';

revoke all on function pgbackfill._cron_next_start(pgbackfill.cron_fields, text, timestamptz, timestamptz) from public;
