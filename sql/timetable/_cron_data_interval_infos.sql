-- The slots of a CronDataIntervalTimetable: one for each interval between two moments at which the cron fires.
create or replace function pgbackfill._cron_data_interval_infos(p_timetable jsonb, p_from timestamptz, p_to timestamptz)
returns setof pgbackfill.dag_run_info
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
declare
  c_instant constant interval := '1 microsecond';
  v_expression constant text := pgbackfill._timetable_text(p_timetable, 'expression');
  v_cron constant pgbackfill.cron_fields := pgbackfill._parse_cron(v_expression);
  v_zone constant text := pgbackfill._timetable_zone(p_timetable);
  v_start timestamptz := pgbackfill._cron_align(v_cron, v_zone, p_from);
  v_end timestamptz;
  v_wall timestamp;
  v_last_wall timestamp;
  v_offset interval;
begin
  -- One turn per stretch of constant offset from UTC, not per slot; next to a change of the clock one per slot, because
  -- Airflow then looks for each start anew and the intervals need not touch.
  while v_start <= p_to loop
    v_wall := v_start at time zone v_zone;
    v_offset := v_wall - v_start at time zone 'UTC';
    v_last_wall := v_wall;
    if exists (select from pgbackfill._cron_walls(v_cron, v_wall - c_instant, v_wall + c_instant)) then
      v_last_wall := greatest(
        v_wall, pgbackfill._cron_wall_before(v_cron, pgbackfill._cron_stretch_end(v_cron, v_zone, v_start, p_to))
      );
    end if;
    v_end := pgbackfill._cron_tick_after(v_cron, v_zone, (v_last_wall - v_offset) at time zone 'UTC');

    return query
    select i.at, i.at, i.next, i.next, null::text, null::timestamptz
    from (
      select s.at, lead(s.at, 1, v_end) over (order by s.at) as next
      from (
        select v_start as at
        union all
        select (w - v_offset) at time zone 'UTC'
        from pgbackfill._cron_walls(v_cron, v_wall, v_last_wall + c_instant) w
      ) s
    ) i
    where i.next is not null
    order by i.at;

    v_start := pgbackfill._cron_next_start(v_cron, v_zone, (v_last_wall - v_offset) at time zone 'UTC', v_end);
  end loop;
end
$$;

comment on function pgbackfill._cron_data_interval_infos(jsonb, timestamptz, timestamptz) is
  'p_timetable has expression and timezone. The last interval may end after p_to. PB016 for what is missing or not acceptable.';

revoke all on function pgbackfill._cron_data_interval_infos(jsonb, timestamptz, timestamptz) from public;
