-- The slots of a trigger timetable of one or more crons: one at each moment at which a cron fires.
create or replace function pgbackfill._cron_trigger_infos(
  p_timetable jsonb,
  p_expressions text[],
  p_from timestamptz,
  p_to timestamptz
)
returns setof pgbackfill.dag_run_info
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_crons constant pgbackfill.cron_fields[] := array(
    select pgbackfill._parse_cron(e.expression)
    from unnest(p_expressions) with ordinality as e(expression, position)
    order by e.position
  );
  v_zone constant text := pgbackfill._timetable_zone(p_timetable);
  v_interval constant pgbackfill.relativedelta := pgbackfill._timetable_delta(p_timetable, 'interval', -1);
  -- Most have none, and need not be shifted slot by slot.
  v_has_interval constant boolean := not v_interval.only_adds or v_interval.elapsed <> '0' or v_interval.months <> '0';
begin
  if v_crons = '{}' then
    raise exception 'timetable: expressions must not be empty' using errcode = 'PB016';
  end if;

  return query
  select
    case when v_has_interval then pgbackfill._shift(t, v_interval) else t end,
    case when v_has_interval then pgbackfill._shift(t, v_interval) else t end,
    t, t, null::text, null::timestamptz
  from pgbackfill._cron_ticks(v_crons, v_zone, v_interval, p_from, p_to) t;
end
$$;

comment on function pgbackfill._cron_trigger_infos(jsonb, text[], timestamptz, timestamptz) is
  'CronTriggerTimetable and MultipleCronTriggerTimetable. p_timetable has timezone and interval. PB016 for what is missing or not acceptable.';

revoke all on function pgbackfill._cron_trigger_infos(jsonb, text[], timestamptz, timestamptz) from public;
