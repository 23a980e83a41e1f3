-- One token of a Python pattern in PostgreSQL's words, or null.
create or replace function pgbackfill._portable_piece(p_token text)
returns text
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  return case
    when p_token !~ '[][{}()|^$.*+?\\]' then p_token
    when p_token in ('(', '(?:') then '(?:'
    when p_token in (')', '|', '^', '\Z') then p_token
    when p_token = '\A' then '^'
    when p_token = '$' then '(?=\n?\Z)'  -- Python's $ also matches before a newline at the end
    when p_token = '.' then '[^\n]'
    when p_token = '\d' then '[0-9]'
    when p_token = '\D' then '[^0-9]'
    when p_token = '\w' then '[A-Za-z0-9_]'
    when p_token = '\W' then '[^A-Za-z0-9_]'
    when p_token = '\s' then '[ \t-\r\u001c-\u001f]'
    when p_token = '\S' then '[^ \t-\r\u001c-\u001f]'
    when p_token ~ '^\\' then (regexp_match(p_token, '^\\[nrtfv !-/:-@[-`{-~]$'))[1]
    when p_token ~ '^\[.' then pgbackfill._portable_bracket(p_token)
    when p_token ~ '^[*+?]' then left(p_token, 1)  -- a lazy repetition finds the same
    when p_token ~ '^\{.' then (
      select '{' || r[1] || coalesce(r[2], '') || '}'
      from regexp_match(p_token, '^\{(\d+)(,\d*)?\}') r
      where r[1]::integer <= coalesce(nullif(ltrim(r[2], ','), '')::integer, 255)
        and greatest(r[1]::integer, nullif(ltrim(r[2], ','), '')::integer) <= 255  -- PostgreSQL's limit
    )
  end;
end
$$;

comment on function pgbackfill._portable_piece(text) is 'The translation of a token, as _portable_regex cuts them; null where the two languages may differ.';

revoke all on function pgbackfill._portable_piece(text) from public;
