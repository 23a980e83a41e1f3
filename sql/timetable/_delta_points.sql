-- p_from and the moments that follow it one delta after another, up to p_to.
create or replace function pgbackfill._delta_points(p_delta pgbackfill.relativedelta, p_from timestamptz, p_to timestamptz)
returns setof timestamptz
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
declare
  c_never_clamped constant integer := 28;  -- every month has this day
  c_most constant integer := 10000000;
  v_at timestamptz := p_from;
  v_next timestamptz;
  v_step interval;
  v_number integer := 0;
begin
  while v_at <= p_to loop
    v_number := v_number + 1;
    v_next := pgbackfill._shift(v_at, p_delta);
    if v_next <= v_at then
      raise exception 'timetable: delta must be positive, but does not lead past %', pgbackfill._isoformat(v_at)
        using errcode = 'PB016';
    end if;

    -- A step that is always the same needs no loop. Days and less are so in UTC, months while no day is too late for one.
    v_step := case
      when not p_delta.only_adds then null
      when p_delta.months = interval '0' then p_delta.elapsed
      when p_delta.elapsed = interval '0' and extract(day from v_at at time zone 'UTC') <= c_never_clamped then p_delta.months
    end;
    if v_number > c_most or (p_to - v_at) / c_most > v_step then
      raise exception 'timetable: delta makes more than % slots', c_most
        using errcode = 'PB016', hint = 'Ask for a shorter window.';
    elsif v_step is not null then
      return query
      select g at time zone 'UTC'
      from generate_series(v_at at time zone 'UTC', p_to at time zone 'UTC', v_step) g;
      return;
    end if;

    -- Else where one leads depends on the one before: 31 January, 28 February, 28 March.
    return next v_at;
    v_at := v_next;
  end loop;
end
$$;

comment on function pgbackfill._delta_points(pgbackfill.relativedelta, timestamptz, timestamptz) is
  'Added in UTC, as Airflow does. PB016 for a delta that leads nowhere or back, where it does so first, and for more than 10,000,000 points.';

revoke all on function pgbackfill._delta_points(pgbackfill.relativedelta, timestamptz, timestamptz) from public;
