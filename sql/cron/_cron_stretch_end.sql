-- Up to which wall clock time (exclusive) what a cron expression matches converts with the offset that holds at p_at.
create or replace function pgbackfill._cron_stretch_end(
  p_cron pgbackfill.cron_fields,
  p_zone text,
  p_at timestamptz,
  p_to timestamptz
)
returns timestamp
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  -- A change of the clock after p_to still matters to the ambiguous times before it; none is larger than a day.
  v_change constant timestamptz := pgbackfill._zone_change(p_zone, p_at, p_to + interval '48 hours');
  v_offset constant interval := p_at at time zone p_zone - p_at at time zone 'UTC';
  v_next_offset constant interval := v_change at time zone p_zone - v_change at time zone 'UTC';
begin
  return least(
    p_to at time zone 'UTC' + v_offset + interval '1 microsecond',
    -- Where the wall clock counts, the times that a fold will repeat belong to the next stretch.
    v_change at time zone 'UTC' + case when p_cron.every_hour then v_offset else least(v_offset, v_next_offset) end
  );
end
$$;

comment on function pgbackfill._cron_stretch_end(pgbackfill.cron_fields, text, timestamptz, timestamptz) is
  'At most the wall clock time of p_to. Between two such ends the moments of a cron are its wall clock times minus one offset.';

revoke all on function pgbackfill._cron_stretch_end(pgbackfill.cron_fields, text, timestamptz, timestamptz) from public;
