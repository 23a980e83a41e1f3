-- A shift in time as Python's dateutil has it; a timedelta is one that only adds what has elapsed.
create type pgbackfill.relativedelta as (
  elapsed interval,
  months interval,
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
  only_adds boolean
);

comment on type pgbackfill.relativedelta is
  'elapsed (in hours and less), months and leapdays are added; year to microsecond replace; weekday 0 is Monday. Null is not given; only_adds: so are all from leapdays on.';
