-- Stops the removal while views of others are built on pgbackfill's, before the guard is taken away.
do $$
declare
  v_dependents text;
begin
  select string_agg(distinct c.oid::regclass::text, ', ')
  into v_dependents
  from pg_depend d
  join pg_rewrite r on d.classid = 'pg_rewrite'::regclass and r.oid = d.objid
  join pg_class c on c.oid = r.ev_class
  where c.relnamespace is distinct from to_regnamespace('pgbackfill')
    and (
      (
        d.refclassid = 'pg_class'::regclass
        and d.refobjid in (select o.oid from pg_class o where o.relnamespace = to_regnamespace('pgbackfill'))
      )
      or (
        d.refclassid = 'pg_proc'::regclass
        and d.refobjid in (select f.oid from pg_proc f where f.pronamespace = to_regnamespace('pgbackfill'))
      )
    );
  if v_dependents is not null then
    raise exception 'other objects depend on pgbackfill: %', v_dependents
      using errcode = 'dependent_objects_still_exist', hint = 'Drop them first.';
  end if;
end
$$;
