-- What every request must have, whatever the DAG: no nulls, and known words.
create or replace function pgbackfill._check_arguments(
  p_from_date timestamptz,
  p_to_date timestamptz,
  p_run_backwards boolean,
  p_reprocess_behavior text
)
returns void
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_missing constant text := case
    when p_from_date is null then 'from_date'
    when p_to_date is null then 'to_date'
    when p_run_backwards is null then 'run_backwards'
    when p_reprocess_behavior is null then 'reprocess_behavior'
  end;
begin
  if v_missing is not null then
    raise exception '% must not be null', v_missing using errcode = 'PB016';
  elsif p_reprocess_behavior not in ('none', 'failed', 'completed') then
    raise exception 'unknown reprocess_behavior "%"', p_reprocess_behavior
      using errcode = 'PB016', hint = 'It is one of none, failed, completed.';
  end if;
end
$$;

comment on function pgbackfill._check_arguments(timestamptz, timestamptz, boolean, text) is
  'PB016 for a null, or a reprocess_behavior other than none, failed and completed.';

revoke all on function pgbackfill._check_arguments(timestamptz, timestamptz, boolean, text) from public;
