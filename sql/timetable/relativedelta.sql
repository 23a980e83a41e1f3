-- A shift in time as Python's dateutil has it; a timedelta is one with nothing but elapsed.
create type pgbackfill.relativedelta as (
  elapsed interval,
  months integer,
  leapdays integer,
  year integer,
  month integer,
  day integer,
  hour integer,
  minute integer,
  second integer,
  microsecond integer,
  weekday integer,
  nth_weekday integer,
  is_timedelta boolean
);

comment on type pgbackfill.relativedelta is
  'elapsed (in hours and less), months and leapdays are added; year to microsecond replace; weekday 0 is Monday. Null for what is not given.';
