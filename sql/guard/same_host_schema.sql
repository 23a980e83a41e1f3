-- Stops a migration, up or down, that was told another schema of Airflow's tables than the one that pgbackfill is installed for.
do $$
declare
  v_schema constant text := (parse_ident('public.x'))[1];
  v_installed text;
begin
  if to_regclass('pgbackfill.host') is null then
    return;
  end if;
  select h.schema_name into v_installed from pgbackfill.host h;
  if v_installed <> v_schema then
    raise exception 'pgbackfill is installed for Airflow''s tables in the schema "%", not in "%"', v_installed, v_schema
      using errcode = 'object_not_in_prerequisite_state',
        hint = format('Say --schema %I (alembic: -x schema=%I).', v_installed, v_installed);
  end if;
end
$$;
