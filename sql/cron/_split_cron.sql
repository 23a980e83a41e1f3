-- The fields of a cron expression in lower case, presets replaced.
create or replace function pgbackfill._split_cron(p_expression text)
returns text[]
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_lower constant text := lower(p_expression collate "C");  -- a Turkish locale would lower FRI to something else
  v_fields constant text[] := string_to_array(
    trim(regexp_replace(
      case
        when v_lower = '@hourly' then '0 * * * *'
        when v_lower in ('@daily', '@midnight') then '0 0 * * *'
        when v_lower = '@weekly' then '0 0 * * 0'
        when v_lower = '@monthly' then '0 0 1 * *'
        when v_lower in ('@yearly', '@annually') then '0 0 1 1 *'
        when p_expression = '@quarterly' then '0 0 1 */3 *'  -- Airflow's own; the others are croniter's, in any case
        else v_lower
      end,
      '\s+', ' ', 'g'
    )),
    ' '
  );
begin
  if cardinality(v_fields) not between 5 and 7 then
    raise exception 'cron expression "%" has % fields', p_expression, cardinality(v_fields)
      using errcode = 'PB016',
        hint = 'It has 5 (minute, hour, day of month, month, day of week), 6 (and second) or 7 (and year).';
  end if;
  return v_fields;
end
$$;

comment on function pgbackfill._split_cron(text) is
  'PB016 unless there are 5, 6 (second) or 7 (second, year) fields.';

revoke all on function pgbackfill._split_cron(text) from public;
