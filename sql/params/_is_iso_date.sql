-- Whether a text is a date of the calendar, written YYYY-MM-DD.
create or replace function pgbackfill._is_iso_date(p_text text)
returns boolean
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  return case
    when p_text !~ '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$' or left(p_text, 4) = '0000' then false
    else right(p_text, 2)::integer <= extract(
      day from make_date(left(p_text, 4)::integer, substr(p_text, 6, 2)::integer, 1) + interval '1 month' - interval '1 day'
    )
  end;
end
$$;

comment on function pgbackfill._is_iso_date(text) is 'As Python''s date.fromisoformat, of ten ASCII characters: years 0001 to 9999.';

revoke all on function pgbackfill._is_iso_date(text) from public;
