-- The moments from p_from to p_to at which a timetable of one or more crons fires, in order.
create or replace function pgbackfill._cron_ticks(
  p_crons pgbackfill.cron_fields[],
  p_zone text,
  p_interval pgbackfill.relativedelta,
  p_from timestamptz,
  p_to timestamptz
)
returns setof timestamptz
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
declare
  -- Airflow takes the cron whose logical date comes first. Only an interval that keeps the order of time lets the ticks
  -- of several crons be merged.
  v_keeps_order constant boolean := cardinality(p_crons) = 1 or p_interval.only_adds and p_interval.months = interval '0';
  v_at timestamptz := pgbackfill._earliest_tick(
    array(select pgbackfill._cron_align(c, p_zone, p_from) from unnest(p_crons) c), p_interval, p_to
  );
  c_most constant integer := 10000000;
  -- A turn is at most so long that its ticks are not too many, and that a search backwards finds its first one.
  c_days_of_search constant integer := 18262;
  v_days constant integer := greatest(
    1, least(c_days_of_search, 1000000 / greatest(1, (select sum(cardinality(c.times)) from unnest(p_crons) c)::integer))
  );
  v_wall timestamp;
  v_offset interval;
  v_end timestamp;
  v_found integer;
  v_number integer := 0;
begin
  -- One turn per stretch of constant offset from UTC, not per tick. The first tick after a change of the clock depends
  -- on the one before it: a run in a gap moves the clock past what else the gap held.
  while v_at is not null loop
    v_wall := v_at at time zone p_zone;
    v_offset := v_wall - v_at at time zone 'UTC';
    return next v_at;
    v_number := v_number + 1;

    if v_keeps_order then
      v_end := (select min(pgbackfill._cron_stretch_end(c, p_zone, v_at, p_to)) from unnest(p_crons) c);
      v_end := least(v_end, v_wall + make_interval(days => v_days));
    end if;

    -- Not while a change of the clock is passed, tick by tick.
    if v_end > v_wall then
      return query
      select distinct (w - v_offset) at time zone 'UTC' as tick
      from unnest(p_crons) c
      cross join lateral pgbackfill._cron_walls(c, v_wall, v_end) w
      order by tick;
      get diagnostics v_found = row_count;
      v_number := v_number + v_found;

      v_wall := greatest(v_wall, (select max(pgbackfill._cron_wall_before(c, v_end)) from unnest(p_crons) c));
    end if;

    if v_number > c_most then
      raise exception 'timetable makes more than % slots', c_most
        using errcode = 'PB016', hint = 'Ask for a shorter window.';
    end if;

    -- Each time anew: in a fold, a tick that one cron has ahead is lost when another passes its time on the clock.
    v_at := pgbackfill._earliest_tick(
      array(
        select pgbackfill._cron_tick_after(c, p_zone, (v_wall - v_offset) at time zone 'UTC') from unnest(p_crons) c
      ),
      p_interval, p_to
    );
  end loop;
end
$$;

comment on function pgbackfill._cron_ticks(pgbackfill.cron_fields[], text, pgbackfill.relativedelta, timestamptz, timestamptz) is
  'p_interval is what makes a tick its logical date, and matters only where several crons compete. PB016 for more than 10,000,000 ticks.';

revoke all on function pgbackfill._cron_ticks(pgbackfill.cron_fields[], text, pgbackfill.relativedelta, timestamptz, timestamptz) from public;
