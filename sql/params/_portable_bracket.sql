-- The bracket expression of PostgreSQL that means what this one means to Python, or null.
create or replace function pgbackfill._portable_bracket(p_bracket text)
returns text
language sql
immutable
set search_path = pg_catalog, pg_temp
as $$
  with body as (
    select
      substring(p_bracket from '^\[\^?') as opening,
      regexp_replace(p_bracket, '^\[\^?|\]$', '', 'g') as text
  ),
  item as (
    select m.found[1] as text, m.position, count(*) over () as items
    from body b
    cross join lateral regexp_matches(b.text, '\\.|[^\\-]-[^\\-]|.', 'g') with ordinality as m(found, position)
  )
  select min(b.opening) || string_agg(
    case i.text
      when '\d' then '0-9'
      when '\w' then 'A-Za-z0-9_'
      when '\s' then ' \t-\r\u001c-\u001f'
      else i.text
    end,
    '' order by i.position
  ) || ']'
  from item i
  cross join body b
  having bool_and(
    case
      when i.text ~ '^\\' then i.text ~ '^\\[dwsnrtfv !-/:-@[-`{-~]$'
      when length(i.text) = 3 then i.text !~ '[][]' and ascii(i.text) <= ascii(right(i.text, 1))
      when i.text = '-' then i.position in (1, i.items)
      else i.text !~ '[][]'
    end
  );
$$;

comment on function pgbackfill._portable_bracket(text) is
  'A translated [...] or [^...]. Null where the two languages may differ. Of ASCII text only, where \d, \w or \s is in it.';

revoke all on function pgbackfill._portable_bracket(text) from public;
