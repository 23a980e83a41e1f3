-- A strftime format taken apart, so that it is read once and not once per date.
create or replace function pgbackfill._strftime_pieces(p_format text)
returns pgbackfill.strftime_piece[]
language sql
immutable
set search_path = pg_catalog, pg_temp
as $$
  with
  shorthand(directive, meaning) as (
    values
      ('%c', '%a %b %e %H:%M:%S %Y'), ('%D', '%m/%d/%y'), ('%F', '%Y-%m-%d'), ('%R', '%H:%M'), ('%r', '%I:%M:%S %p'),
      ('%T', '%H:%M:%S'), ('%X', '%H:%M:%S'), ('%x', '%m/%d/%y'), ('%n', E'\n'), ('%t', E'\t')
  ),
  -- What each directive is to to_char, how wide a number is at least, and what fills it up.
  directive(letter, template, digits, padding) as (
    values
      ('Y', 'FMYYYY', 1, '0'), ('y', 'YY', 2, '0'), ('G', 'FMIYYY', 1, '0'), ('g', 'IY', 2, '0'), ('C', null, 1, '0'),
      ('m', 'MM', 2, '0'), ('B', 'FMMonth', 1, ' '), ('b', 'Mon', 1, ' '), ('h', 'Mon', 1, ' '),
      ('V', 'IW', 2, '0'), ('U', null, 2, '0'), ('W', null, 2, '0'),
      ('d', 'DD', 2, '0'), ('e', 'DD', 2, ' '), ('j', 'DDD', 3, '0'),
      ('A', 'FMDay', 1, ' '), ('a', 'Dy', 1, ' '), ('u', 'ID', 1, '0'), ('w', null, 1, '0'),
      ('H', 'HH24', 2, '0'), ('k', 'HH24', 2, ' '), ('I', 'HH12', 2, '0'), ('l', 'HH12', 2, ' '),
      ('p', 'AM', 1, ' '), ('P', 'am', 1, ' '), ('M', 'MI', 2, '0'), ('S', 'SS', 2, '0'),
      ('f', 'US', null, ' '), ('z', null, null, ' '), ('Z', null, null, ' ')  -- Python's own, which take no flags
  ),
  token(flags, fill, width, letter, literal, position) as (
    select
      m[1], right(translate(m[1], '^#', ''), 1), nullif(m[2], '')::integer, nullif(m[3], '%'),
      case when m[3] = '%' then '%' else m[4] end, t.position
    from regexp_matches(
      (
        select string_agg(coalesce(s.meaning, w.match[1]), '' order by w.position)
        from regexp_matches(p_format, '%.|[^%]+|%', 'g') with ordinality as w(match, position)
        left join shorthand s on s.directive = w.match[1]
      ),
      '%([-_0^#]*)([0-9]{0,3})(.)|([^%]+|%)', 'g'
    ) with ordinality as t(m, position)
  ),
  part as (
    select
      t.position,
      case
        when u.unknown then coalesce('%' || t.flags || coalesce(t.width::text, '') || coalesce(t.letter, '%'), '%')
        when t.literal is not null then '"' || regexp_replace(t.literal, '(["\\])', '\\\1', 'g') || '"'
        else d.template
      end as template,
      case
        when u.unknown then '?'
        when d.template is null or t.flags <> '' or t.width is not null or d.padding = ' ' and d.digits > 1 then t.letter
      end as directive,
      greatest(t.width, case when t.fill = '-' then 1 else d.digits end) as width,
      case t.fill when '' then d.padding when '0' then '0' else ' ' end as padding,
      left(translate(t.flags, '-_0^', '') || translate(t.flags, '-_0#', ''), 1) as letter_case
    from token t
    left join directive d on d.letter = t.letter
    cross join lateral (
      select case
        when t.literal = '%' then t.flags is null or t.width is not null
        when t.literal is null then d.letter is null or d.digits is null and (t.flags <> '' or t.width is not null)
        else false
      end
    ) u(unknown)
  ),
  -- Neighbours that to_char can render are rendered together, with nothing between them: DD and DDD are not DDDDD.
  run as (
    select
      p.*,
      count(p.directive) over (order by p.position)
        + count(p.directive) over (order by p.position rows between unbounded preceding and 1 preceding) as number
    from part p
  )
  select array_agg(r.piece order by r.number)
  from (
    select
      number,
      (
        string_agg(template, '""' order by position), min(directive), min(width), min(padding), min(letter_case)
      )::pgbackfill.strftime_piece as piece
    from run
    group by number
  ) r
$$;

comment on function pgbackfill._strftime_pieces(text) is
  'Python''s directives and the GNU C library''s, with its flags (- _ 0 ^ #) and width. Any other, whose meaning depends on the platform, is a piece with the directive ?, and itself as template.';

revoke all on function pgbackfill._strftime_pieces(text) from public;
