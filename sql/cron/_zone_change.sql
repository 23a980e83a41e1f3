-- The first moment after p_at, up to p_until, from which a zone's clock has another offset from UTC; null if none.
create or replace function pgbackfill._zone_change(p_zone text, p_at timestamptz, p_until timestamptz)
returns timestamptz
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  -- No zone has ever changed its clock twice in less time; the closest was Freetown in 1939, within 96 hours.
  c_step constant interval := '72 hours';
  v_offset constant interval := p_at at time zone p_zone - p_at at time zone 'UTC';
  v_before timestamptz := p_at;
  v_after timestamptz := p_at;
  v_middle timestamptz;
begin
  loop
    if v_after >= p_until then
      return null;
    end if;
    v_after := least(v_after + c_step, p_until);
    exit when v_after at time zone p_zone - v_after at time zone 'UTC' <> v_offset;
    v_before := v_after;
  end loop;

  -- Changes happen on whole seconds.
  v_before := date_trunc('second', v_before, 'UTC');
  v_after := date_trunc('second', v_after, 'UTC');
  while v_after - v_before > interval '1 second' loop
    v_middle := v_before + make_interval(secs => floor(extract(epoch from v_after - v_before) / 2));
    if v_middle at time zone p_zone - v_middle at time zone 'UTC' = v_offset then
      v_before := v_middle;
    else
      v_after := v_middle;
    end if;
  end loop;
  return v_after;
end
$$;

comment on function pgbackfill._zone_change(text, timestamptz, timestamptz) is
  'PostgreSQL has no list of a zone''s transitions: probes the offset and halves.';

revoke all on function pgbackfill._zone_change(text, timestamptz, timestamptz) from public;
