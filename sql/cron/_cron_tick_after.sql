-- The first moment after p_at at which a cron expression in a zone fires; null if there is none.
create or replace function pgbackfill._cron_tick_after(p_cron pgbackfill.cron_fields, p_zone text, p_at timestamptz)
returns timestamptz
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_wall constant timestamp := p_at at time zone p_zone;
  v_next constant timestamp := pgbackfill._cron_wall_after(p_cron, v_wall);
begin
  -- Every hour means every hour that passes: time elapsed is what counts, through fold and gap. Computed in UTC, where
  -- a day has 24 hours whatever the session's TimeZone is.
  if p_cron.every_hour then
    return (p_at at time zone 'UTC' + (v_next - v_wall)) at time zone 'UTC';
  end if;

  -- Else the wall clock counts. PostgreSQL takes the second of two equal times in a fold and moves a time in a gap
  -- forward by the gap, as Airflow does.
  return v_next at time zone p_zone;
end
$$;

comment on function pgbackfill._cron_tick_after(pgbackfill.cron_fields, text, timestamptz) is
  'Airflow''s CronMixin._get_next.';

revoke all on function pgbackfill._cron_tick_after(pgbackfill.cron_fields, text, timestamptz) from public;
