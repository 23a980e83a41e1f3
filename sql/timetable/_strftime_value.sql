-- What one directive of strftime makes of a date that to_char alone does not.
create or replace function pgbackfill._strftime_value(
  p_piece pgbackfill.strftime_piece,
  p_wall timestamp,
  p_offset interval,
  p_abbreviation text
)
returns text
language plpgsql  -- which keeps its plan; SQL with a search_path of its own would be planned for each call
stable
set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select lpad(c.text, greatest(p_piece.width, length(c.text)), p_piece.padding)
    from (
      select case
        when p_piece.directive = 'z' then
          case when p_offset < interval '0' then '-' else '+' end
          || to_char(
            greatest(p_offset, -p_offset),
            case when extract(second from p_offset) = 0 then 'HH24MI' else 'HH24MISS' end
          )
        when p_piece.directive = 'Z' then p_abbreviation
        -- Weeks of the year that begin on Sunday (U) or Monday (W), from 0.
        when p_piece.directive = 'U' then ((extract(doy from p_wall) + 6 - extract(dow from p_wall))::integer / 7)::text
        when p_piece.directive = 'W' then ((extract(doy from p_wall) + 7 - extract(isodow from p_wall))::integer / 7)::text
        when p_piece.directive = 'w' then extract(dow from p_wall)::text
        when p_piece.directive = 'C' then (extract(year from p_wall)::integer / 100)::text
        else to_char(p_wall, p_piece.template)
      end as text
    ) v
    cross join lateral (
      select case
        when p_piece.directive = 'p' and p_piece.letter_case = '#' then lower(v.text collate "C")
        when p_piece.directive in ('p', 'a', 'A', 'b', 'B', 'h') and p_piece.letter_case <> '' then upper(v.text collate "C")
        when v.text ~ '^[0-9]' then coalesce(nullif(ltrim(v.text, '0'), ''), '0')
        else v.text
      end as text
    ) c
  );
end
$$;

comment on function pgbackfill._strftime_value(pgbackfill.strftime_piece, timestamp, interval, text) is
  'p_offset: from UTC, positive in the east. p_abbreviation: what %Z is.';

revoke all on function pgbackfill._strftime_value(pgbackfill.strftime_piece, timestamp, interval, text) from public;
