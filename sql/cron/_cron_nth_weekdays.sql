-- The n-th weekdays among what a weekday field allows, as weekday * 10 + n (n = 0: the last); null if none.
create or replace function pgbackfill._cron_nth_weekdays(p_fields text[], p_weekdays text[])
returns integer[]
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_nth constant integer[] := (
    select array_agg(distinct split_part(w, '#', 1)::integer * 10 + replace(split_part(w, '#', 2), 'l', '0')::integer)
    from unnest(p_weekdays) w
    where w like '%#%'
  );
begin
  -- croniter does not take 1,3#2, but it does where the field names every day of the week anyway.
  if v_nth is not null
    and 7 <> (select count(distinct split_part(w, '#', 1)) from unnest(p_weekdays) w)
    and exists (
      select from unnest(p_weekdays) w
      where w ~ '^[0-9]+$' and w::integer <> all(select n / 10 from unnest(v_nth) n)
    )
  then
    raise exception 'cron expression "%": day of week mixes weekdays with n-th weekdays', array_to_string(p_fields, ' ')
      using errcode = 'PB016';
  end if;
  return v_nth;
end
$$;

comment on function pgbackfill._cron_nth_weekdays(text[], text[]) is
  'p_fields: the whole expression; p_weekdays: what _cron_field makes of its weekday field. PB016 for a mix that croniter refuses.';

revoke all on function pgbackfill._cron_nth_weekdays(text[], text[]) from public;
