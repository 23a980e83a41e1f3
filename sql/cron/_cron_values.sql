-- The numbers that a value, range or step (5, mon, 1-5, fri-mon, */15, 10/20) stands for; null if it is none of these.
create or replace function pgbackfill._cron_values(p_item text, p_position integer, p_columns integer)
returns integer[]
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  c_range constant text := '^([^-]+)-([^-/]+)(?:/([0-9]+))?$';
  v_min constant integer := ('{0,0,1,1,0,0,1970}'::integer[])[p_position];
  v_max constant integer := ('{59,23,31,12,6,59,2099}'::integer[])[p_position];
  v_bounds constant text[] := coalesce(
    regexp_match(regexp_replace(p_item, '^\*(/.+)$', format('%s-%s\1', v_min, v_max)), c_range),
    regexp_match(regexp_replace(p_item, '^(.+)/(.+)$', format('\1-%s/\2', v_max)), c_range)
  );
  v_low integer;
  v_high integer;
  v_step integer;
begin
  if v_bounds is null then
    v_low := pgbackfill._cron_number(p_item, p_position, p_columns);
    return case when v_low between v_min and v_max then array[v_low] end;
  end if;

  v_low := pgbackfill._cron_number(v_bounds[1], p_position, p_columns);
  v_high := case
    when p_position = 3 and v_bounds[2] = 'l' then 31
    else pgbackfill._cron_number(v_bounds[2], p_position, p_columns)
  end;
  v_step := least(coalesce(v_bounds[3], '1')::numeric, 1000000)::integer;

  if v_low is null or v_high is null or v_step = 0 or greatest(v_low, v_high) > v_max then
    return null;
  elsif v_low < v_min and v_low <> v_high then
    return null;
  end if;
  return pgbackfill._cron_range(v_low, v_high, v_step, v_min, v_max);
end
$$;

comment on function pgbackfill._cron_values(text, integer, integer) is
  'p_item in lower case; p_position as in _cron_number.';

revoke all on function pgbackfill._cron_values(text, integer, integer) from public;
