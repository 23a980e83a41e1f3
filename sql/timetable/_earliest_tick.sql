-- The one of several crons' next ticks whose run comes first, none after p_to; null if there is none.
create or replace function pgbackfill._earliest_tick(p_ticks timestamptz[], p_interval pgbackfill.relativedelta, p_to timestamptz)
returns timestamptz
language sql
stable
set search_path = pg_catalog, pg_temp
as $$
  select c.tick
  from unnest(p_ticks) with ordinality as c(tick, position)
  where c.tick <= p_to
  order by pgbackfill._shift(c.tick, p_interval), c.position
  limit 1
$$;

comment on function pgbackfill._earliest_tick(timestamptz[], pgbackfill.relativedelta, timestamptz) is
  'MultipleCronTriggerTimetable''s choice: by logical date, that is the tick plus p_interval, and among equals by place in the list.';

revoke all on function pgbackfill._earliest_tick(timestamptz[], pgbackfill.relativedelta, timestamptz) from public;
