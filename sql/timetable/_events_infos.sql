-- The slots of an EventsTimetable: one at each of its dates.
create or replace function pgbackfill._events_infos(p_timetable jsonb, p_from timestamptz, p_to timestamptz)
returns setof pgbackfill.dag_run_info
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_texts constant text[] := pgbackfill._timetable_texts(p_timetable, 'event_dates');
  v_bad_text constant text := (
    select t from unnest(v_texts) t
    where t !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3])(:[0-5][0-9]){2}([.][0-9]{1,6})?(Z|[+-][0-9]{2}(:[0-9]{2}){1,2})$'
    limit 1
  );
begin
  if v_bad_text is not null then
    raise exception 'timetable: event date "%" is no date with an offset from UTC', left(v_bad_text, 100)
      using errcode = 'PB016', hint = 'Write it as 2026-01-31T06:00:00+00:00.';
  end if;

  -- The dates are sorted unless somebody said that they were and lied. Airflow goes through them in the order given, past
  -- those that are not later than its last.
  return query
  select e.at, e.at, e.at, e.at, null::text, null::timestamptz
  from (
    select
      t.text::timestamptz as at,
      t.position,
      max(t.text::timestamptz) over (order by t.position rows between unbounded preceding and 1 preceding) as latest
    from unnest(v_texts) with ordinality as t(text, position)
    where t.text::timestamptz >= p_from
  ) e
  where e.at <= p_to
    and (e.at > e.latest) is not false
  order by e.position;
exception
  when data_exception then
    raise exception 'timetable: %', sqlerrm using errcode = 'PB016';
end
$$;

comment on function pgbackfill._events_infos(jsonb, timestamptz, timestamptz) is
  'p_timetable has event_dates, in ISO 8601 with an offset. Equal dates make one slot. PB016 for a date that is none.';

revoke all on function pgbackfill._events_infos(jsonb, timestamptz, timestamptz) from public;
