-- The number that digits or a name (jan, sun) stand for in a cron field; null if they stand for none.
create or replace function pgbackfill._cron_number(p_text text, p_position integer, p_columns integer)
returns integer
language sql
immutable
set search_path = pg_catalog, pg_temp
as $$
  select case
    -- croniter knows these two aliases for that many columns only.
    when n.number = 7 and p_position = 5 and p_columns = 5 then 0
    when n.number = 0 and p_position = 3 and p_columns = 6 then 1
    else n.number
  end
  from (
    select case
      when p_text ~ '^[0-9]+$' then least(p_text::numeric, 1000000)::integer
      when p_position = 4 then array_position('{jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec}', p_text)
      when p_position = 5 then array_position('{sun,mon,tue,wed,thu,fri,sat}', p_text) - 1
    end as number
  ) n
$$;

comment on function pgbackfill._cron_number(text, integer, integer) is
  'p_position: 1 minute, 2 hour, 3 day of month, 4 month, 5 weekday, 6 second, 7 year. Digits beyond a million count as a million.';

revoke all on function pgbackfill._cron_number(text, integer, integer) from public;
