-- A parsed cron expression: which days it matches and at which times of day; a null list means any value.
create type pgbackfill.cron_fields as (
  times time[],
  days integer[],
  on_last_day boolean,
  nearest_weekday integer,
  months integer[],
  weekdays integer[],
  nth_weekdays integer[],
  years integer[],
  either_day boolean,
  every_hour boolean
);

comment on type pgbackfill.cron_fields is
  'times ascending. weekdays: 0 is Sunday. nth_weekdays: weekday * 10 + n, n = 0 the last of the month. either_day: days OR weekdays match, else both must. every_hour: the hour field is "*".';
