-- The last moment before p_at at which a cron expression in a zone fires; null if there is none.
create or replace function pgbackfill._cron_tick_before(p_cron pgbackfill.cron_fields, p_zone text, p_at timestamptz)
returns timestamptz
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_wall constant timestamp := p_at at time zone p_zone;
  v_previous constant timestamp := pgbackfill._cron_wall_before(p_cron, v_wall);
begin
  -- The two ways of counting are those of _cron_tick_after.
  if p_cron.every_hour then
    return (p_at at time zone 'UTC' - (v_wall - v_previous)) at time zone 'UTC';
  end if;
  return v_previous at time zone p_zone;
end
$$;

comment on function pgbackfill._cron_tick_before(pgbackfill.cron_fields, text, timestamptz) is
  'Airflow''s CronMixin._get_prev. After a change of the clock it may lie after p_at, as in Airflow.';

revoke all on function pgbackfill._cron_tick_before(pgbackfill.cron_fields, text, timestamptz) from public;
