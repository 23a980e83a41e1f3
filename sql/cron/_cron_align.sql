-- p_at itself if a cron expression fires at it, else the first moment after it; null if there is none.
create or replace function pgbackfill._cron_align(p_cron pgbackfill.cron_fields, p_zone text, p_at timestamptz)
returns timestamptz
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_next constant timestamptz := pgbackfill._cron_tick_after(p_cron, p_zone, p_at);
  v_previous constant timestamptz := pgbackfill._cron_tick_before(p_cron, p_zone, v_next);
begin
  return case
    when v_previous = p_at then p_at
    when v_previous is not null then v_next  -- else an error of croniter's: before the first year of a seventh field
  end;
end
$$;

comment on function pgbackfill._cron_align(pgbackfill.cron_fields, text, timestamptz) is
  'Airflow''s CronMixin._align_to_next: next and back again, which beside a change of the clock is not always where it began.';

revoke all on function pgbackfill._cron_align(pgbackfill.cron_fields, text, timestamptz) from public;
