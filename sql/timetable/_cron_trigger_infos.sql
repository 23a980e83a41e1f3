-- The slots of a CronTriggerTimetable: one at each moment at which the cron fires.
create or replace function pgbackfill._cron_trigger_infos(p_timetable jsonb, p_from timestamptz, p_to timestamptz)
returns setof pgbackfill.dag_run_info
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_expression constant text := pgbackfill._timetable_text(p_timetable, 'expression');
  v_cron constant pgbackfill.cron_fields := pgbackfill._parse_cron(v_expression);
  v_zone constant text := pgbackfill._timetable_zone(p_timetable);
  v_interval constant pgbackfill.relativedelta := pgbackfill._timetable_delta(p_timetable, 'interval', -1);
  v_at timestamptz := pgbackfill._cron_align(v_cron, v_zone, p_from);
  v_wall timestamp;
  v_offset interval;
  v_end timestamp;
begin
  -- One turn per stretch of constant offset from UTC, not per slot. The first slot after a change of the clock depends
  -- on the one before it: a run in a gap moves the clock past what else the gap held.
  while v_at <= p_to loop
    v_wall := v_at at time zone v_zone;
    v_offset := v_wall - v_at at time zone 'UTC';
    v_end := pgbackfill._cron_stretch_end(v_cron, v_zone, v_at, p_to);

    return query
    select i.start, i.start, s.at, s.at, null::text, null::timestamptz
    from (
      select v_at as at
      union all
      select (w - v_offset) at time zone 'UTC'
      from pgbackfill._cron_walls(v_cron, v_wall, v_end) w
    ) s
    cross join lateral (select pgbackfill._shift(s.at, v_interval) as start) i
    order by s.at;

    v_wall := greatest(v_wall, pgbackfill._cron_wall_before(v_cron, v_end));
    v_at := pgbackfill._cron_tick_after(v_cron, v_zone, (v_wall - v_offset) at time zone 'UTC');
  end loop;
end
$$;

comment on function pgbackfill._cron_trigger_infos(jsonb, timestamptz, timestamptz) is
  'p_timetable has expression, timezone and interval. PB016 for what is missing or not acceptable.';

revoke all on function pgbackfill._cron_trigger_infos(jsonb, timestamptz, timestamptz) from public;
