-- What a creation must have beyond what a plan needs.
create or replace function pgbackfill._check_creation_arguments(
  p_max_active_runs integer,
  p_run_on_latest_version boolean,
  p_triggering_user_name text
)
returns void
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
begin
  if p_max_active_runs is null or p_max_active_runs < 1 then
    raise exception 'max_active_runs must be at least 1, not %', coalesce(p_max_active_runs::text, 'null') using errcode = 'PB016';
  elsif p_run_on_latest_version is null then
    raise exception 'run_on_latest_version must not be null' using errcode = 'PB016';
  elsif length(p_triggering_user_name) > 512 then
    raise exception 'triggering_user_name must have at most 512 characters' using errcode = 'PB016';
  end if;
end
$$;

comment on function pgbackfill._check_creation_arguments(integer, boolean, text) is
  'PB016 for a max_active_runs below 1, a null, or a user name that does not fit.';

revoke all on function pgbackfill._check_creation_arguments(integer, boolean, text) from public;
