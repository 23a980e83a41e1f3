-- Stops the removal while tables that pgbackfill made, where there was no Airflow, hold rows.
do $$
declare
  v_table record;
  v_has_rows boolean;
begin
  if to_regclass('pgbackfill.host_table') is null then
    return;
  end if;
  for v_table in select name from pgbackfill.host_table order by created_order desc loop
    execute format('select exists (select from public.%I)', v_table.name) into v_has_rows;
    if v_has_rows then
      raise exception 'table % has rows, and removing pgbackfill would drop it', v_table.name
        using errcode = 'dependent_objects_still_exist',
          hint = 'Save what you need, then say --drop-data (alembic: -x drop_data=yes).';
    end if;
  end loop;
end
$$;
