-- The slots of a CronPartitionTimetable: one partition for each moment at which the cron fires.
create or replace function pgbackfill._cron_partition_infos(
  p_timetable jsonb,
  p_from timestamptz,
  p_to timestamptz,
  p_keys_in_utc boolean
)
returns setof pgbackfill.dag_run_info
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_cron constant pgbackfill.cron_fields := pgbackfill._parse_cron(pgbackfill._timetable_text(p_timetable, 'expression'));
  v_zone constant text := pgbackfill._timetable_zone(p_timetable);
  v_pieces constant pgbackfill.strftime_piece[] := pgbackfill._key_format(p_timetable);
  v_key_zone constant text := case when p_keys_in_utc then 'UTC' else v_zone end;
  -- Since 3.3 it plays no part in a backfill; it must be there all the same.
  v_run_offset constant integer := pgbackfill._run_offset(p_timetable);
  v_offset constant integer := case when p_keys_in_utc then v_run_offset else 0 end;
begin
  return query
  select
    null::timestamptz, null::timestamptz, null::timestamptz,
    t,
    (
      select string_agg(
        case
          when k.directive is null then to_char(p.wall, k.template)
          else pgbackfill._strftime_value(
            k, p.wall, p.wall - p.at at time zone 'UTC',
            case k.directive when 'Z' then pgbackfill._zone_abbreviation(v_key_zone, p.at) end
          )
        end,
        ''
      )
      from unnest(v_pieces) k  -- in its order
    ),
    p.at
  from pgbackfill._cron_ticks(
    array[v_cron],
    v_zone,
    null,
    -- The bounds are the dates of partitions: what the clock shows in UTC is read again in the timetable's zone.
    case when p_keys_in_utc then p_from else p_from at time zone 'UTC' at time zone v_zone end,
    case when p_keys_in_utc then p_to else p_to at time zone 'UTC' at time zone v_zone end
  ) t
  cross join lateral (
    select o.at, o.at at time zone v_key_zone as wall
    from (
      select case when v_offset = 0 then t else pgbackfill._cron_tick_at_offset(v_cron, v_zone, t, v_offset) end
    ) o(at)
  ) p;
end
$$;

comment on function pgbackfill._cron_partition_infos(jsonb, timestamptz, timestamptz, boolean) is
  'p_timetable has expression, timezone, run_offset and key_format. p_keys_in_utc: as Airflow 3.2 does, whose bounds are those of the runs, from which '
  'run_offset leads to the partition; since 3.3 the bounds are the partitions'' (#67537). PB013 a key_format that depends on the platform, PB016 what is missing or not acceptable.';

revoke all on function pgbackfill._cron_partition_infos(jsonb, timestamptz, timestamptz, boolean) from public;
