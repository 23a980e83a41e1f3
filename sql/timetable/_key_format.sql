-- The key_format of a serialized CronPartitionTimetable.
create or replace function pgbackfill._key_format(p_timetable jsonb)
returns pgbackfill.strftime_piece[]
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_format constant text := pgbackfill._timetable_text(p_timetable, 'key_format');
  v_pieces constant pgbackfill.strftime_piece[] := pgbackfill._strftime_pieces(v_format);
  v_unknown constant text := (select p.template from unnest(v_pieces) p where p.directive = '?' limit 1);
begin
  if v_format = '' then
    raise exception 'timetable: key_format must not be empty' using errcode = 'PB016';
  elsif v_unknown is not null then
    raise exception 'timetable: key_format "%" has "%", which SQL cannot evaluate', left(v_format, 100), v_unknown
      using errcode = 'PB013',
        hint = 'Directives are those of Python''s strftime; a percent sign is written %%. What means different things on different '
          'platforms (%s, %E...) is left out: then compute the slots yourself and pass them as infos.';
  end if;
  return v_pieces;
end
$$;

comment on function pgbackfill._key_format(jsonb) is
  'PB016 missing, no string or empty (a run of a partition needs a key), PB013 a directive that neither Python nor the GNU C library documents, and %s.';

revoke all on function pgbackfill._key_format(jsonb) from public;
