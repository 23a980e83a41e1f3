-- The regular expression of PostgreSQL that finds a match exactly where Python's finds one, or null where none is known.
create or replace function pgbackfill._portable_regex(p_pattern text)
returns text
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_token text;
  v_piece text;
  v_regex text := '';
  v_before text := 'start';  -- of a branch; else an atom, a quantifier or an anchor
  v_outer integer[] := '{}';  -- the sizes of the groups that are open
  v_size integer := 0;
  v_atom integer;
begin
  for v_token in
    select m[1]
    from regexp_matches(p_pattern, '\[(?:[^]\\]|\\.)*\]|\(\?:|(?:[*+?]|\{\d{1,3}(?:,\d{0,3})?\})\??|\\.|.', 'g') m
  loop
    v_piece := pgbackfill._portable_piece(v_token);
    case
      when v_piece is null then
        return null;
      when v_token in ('(', '(?:') then
        v_outer := v_size || v_outer;
        v_size := 0;
        v_before := 'start';
      when v_token in (')', '|') then
        if v_before = 'start' or v_token = ')' and cardinality(v_outer) = 0 then
          return null;
        elsif v_token = ')' then
          v_atom := v_size;
          v_size := v_outer[1] + v_atom;
          v_outer := v_outer[2:];
        end if;
        v_before := case v_token when ')' then 'atom' else 'start' end;
      when v_token ~ '^[*+?{]' then
        if v_before <> 'atom' then
          return null;
        end if;
        v_size := v_size + v_atom * (coalesce((select max(n[1]::integer) from regexp_matches(v_token, '\d+', 'g') n), 1) - 1);
        v_before := 'quantifier';
      when v_token in ('^', '$', '\A', '\Z') then
        v_before := 'anchor';
      else
        v_atom := 1;
        v_size := v_size + 1;
        v_before := 'atom';
    end case;
    if v_size > 1000 then  -- PostgreSQL writes repetitions out
      return null;
    end if;
    v_regex := v_regex || v_piece;
  end loop;
  return case when v_before <> 'start' and cardinality(v_outer) = 0 then v_regex end;
end
$$;

comment on function pgbackfill._portable_regex(text) is
  'The translation of a Python pattern of literals, classes, groups, alternatives, repetitions and anchors; null for anything else. '
  'Of ASCII text only, where \d, \w or \s is in it.';

revoke all on function pgbackfill._portable_regex(text) from public;
