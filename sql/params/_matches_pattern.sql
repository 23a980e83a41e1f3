-- Whether Python's re.search finds a pattern in a text.
create or replace function pgbackfill._matches_pattern(p_text text, p_pattern text, p_path text)
returns boolean
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  -- Python's \d, \w and \s know the letters and digits of all scripts, PostgreSQL's those of a locale.
  if octet_length(p_text) <> length(p_text) and p_pattern ~ '\\[dDwWsS]' then
    perform pgbackfill._cannot_check(p_path, 'its pattern has \d, \w or \s and the text is not all ASCII');
  end if;
  return p_text collate "C" ~ pgbackfill._portable_regex(p_pattern);
end
$$;

comment on function pgbackfill._matches_pattern(text, text, text) is 'For patterns that _portable_regex knows. PB014 where letters beyond ASCII meet \d, \w or \s.';

revoke all on function pgbackfill._matches_pattern(text, text, text) from public;
