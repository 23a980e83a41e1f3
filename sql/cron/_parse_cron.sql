-- A cron expression as croniter reads it.
create or replace function pgbackfill._parse_cron(p_expression text)
returns pgbackfill.cron_fields
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_fields constant text[] := pgbackfill._split_cron(p_expression);
  v_minutes constant text[] := pgbackfill._cron_field(v_fields, 1);
  v_hours constant text[] := pgbackfill._cron_field(v_fields, 2);
  v_days constant text[] := pgbackfill._cron_field(v_fields, 3);
  v_months constant text[] := pgbackfill._cron_field(v_fields, 4);
  v_weekdays constant text[] := pgbackfill._cron_field(v_fields, 5);
  v_seconds constant text[] := coalesce(pgbackfill._cron_field(v_fields, 6), '{0}');
  v_years constant text[] := coalesce(pgbackfill._cron_field(v_fields, 7), '{*}');
  v_cron pgbackfill.cron_fields;
begin
  v_cron.times := pgbackfill._cron_times(
    pgbackfill._cron_list(v_hours), pgbackfill._cron_list(v_minutes), pgbackfill._cron_list(v_seconds)
  );
  v_cron.days := pgbackfill._cron_list(v_days);
  v_cron.on_last_day := 'l' = any(v_days);
  v_cron.nearest_weekday := substring(v_days[1], '^([0-9]+)w$');
  v_cron.months := pgbackfill._cron_list(v_months);
  v_cron.weekdays := pgbackfill._cron_list(v_weekdays);
  v_cron.nth_weekdays := pgbackfill._cron_nth_weekdays(v_fields, v_weekdays);
  v_cron.years := pgbackfill._cron_list(v_years);
  v_cron.either_day := '*' <> all(v_days) and '*' <> all(v_weekdays);
  v_cron.every_hour := v_hours = '{*}';

  return pgbackfill._settle_cron_days(v_cron);
end
$$;

comment on function pgbackfill._parse_cron(text) is
  'PB016 with the reason for what croniter refuses, and for hashed and random fields.';

revoke all on function pgbackfill._parse_cron(text) from public;
