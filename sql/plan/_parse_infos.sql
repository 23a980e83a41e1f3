-- The slots that a caller computed, read from JSON and checked: in the window, in order, none twice, no field missing.
create or replace function pgbackfill._parse_infos(p_infos jsonb, p_from_date timestamptz, p_to_date timestamptz)
returns setof pgbackfill.dag_run_info
language plpgsql
stable
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'  -- a time without an offset is UTC, as in Airflow's own API
set datestyle = 'ISO, YMD'
as $$
declare
  v_infos pgbackfill.dag_run_info[];
  v_fault text;
begin
  if jsonb_typeof(p_infos) <> 'array' then
    raise exception 'infos must be a JSON array of slots, not %', jsonb_typeof(p_infos) using errcode = 'PB016';
  elsif exists (select from jsonb_array_elements(p_infos) as e where jsonb_typeof(e) <> 'object') then
    raise exception 'infos must be a JSON array of objects' using errcode = 'PB016';
  elsif exists (
    select
    from jsonb_array_elements(p_infos) as e(info)
    cross join lateral jsonb_each_text(e.info) as f(name, value)
    where f.name in ('logical_date', 'data_interval_start', 'data_interval_end', 'run_after', 'partition_date')
      and f.value !~ '^\d{4}-\d\d-\d\d([T ]|$)'  -- not "now", "infinity" or what a DateStyle would decide
  ) then
    raise exception 'infos holds a time that is not ISO 8601' using errcode = 'PB016';
  end if;

  begin
    select array_agg(row(i.*)::pgbackfill.dag_run_info order by e.position)
    into v_infos
    from jsonb_array_elements(p_infos) with ordinality as e(info, position),
      jsonb_populate_record(null::pgbackfill.dag_run_info, e.info) as i;
  exception
    when data_exception then
      raise exception 'infos holds what is not a time: %', sqlerrm using errcode = 'PB016';
  end;

  select format('slot %s of infos %s', s.position, f.fault)
  into v_fault
  from (
    select
      i.*,
      coalesce(i.logical_date, i.partition_date) as at,
      lag(coalesce(i.logical_date, i.partition_date)) over (order by i.position) as previous,
      first_value(i.partition_key is null) over (order by i.position) as has_dates
    from unnest(v_infos) with ordinality
      as i(logical_date, data_interval_start, data_interval_end, run_after, partition_key, partition_date, position)
  ) s
  cross join lateral (
    select case
      when s.run_after is null then 'lacks run_after'
      when (s.partition_key is null) <> s.has_dates then 'mixes logical dates and partitions'
      when s.partition_key is null and (s.logical_date is null or s.data_interval_start is null or s.data_interval_end is null)
        then 'lacks logical_date, data_interval_start or data_interval_end'
      when s.partition_key is not null and s.partition_date is null then 'lacks partition_date'
      when s.partition_key is not null and num_nonnulls(s.logical_date, s.data_interval_start, s.data_interval_end) > 0
        then 'has both a partition_key and a logical_date or data interval'
      when length(s.partition_key) > 150 then 'has a partition_key of more than 150 characters'  -- run_id holds it, too
      when not (
        pgbackfill._is_python_date(s.at)
        and pgbackfill._is_python_date(s.run_after)
        and pgbackfill._is_python_date(coalesce(s.data_interval_start, s.at))
        and pgbackfill._is_python_date(coalesce(s.data_interval_end, s.at))
      ) then 'is not in the years 1 to 9999'
      when s.data_interval_end < s.data_interval_start then 'ends before it starts'
      when s.partition_key is null and s.at not between p_from_date and p_to_date then 'is outside from_date and to_date'
      when s.at = s.previous then 'repeats the one before'
      when s.at < s.previous then 'is out of order'
    end as fault
  ) f
  where f.fault is not null
  order by s.position
  limit 1;

  if v_fault is not null then
    raise exception '%', v_fault
      using errcode = 'PB016',
        hint = 'Each slot has logical_date, data_interval_start, data_interval_end and run_after, or partition_key, partition_date and run_after.';
  end if;
  return query select * from unnest(v_infos);
end
$$;

comment on function pgbackfill._parse_infos(jsonb, timestamptz, timestamptz) is
  'Slots from a JSON array of objects with the fields of dag_run_info, ascending. PB016 names the first fault and its slot (from 1).';

revoke all on function pgbackfill._parse_infos(jsonb, timestamptz, timestamptz) from public;
