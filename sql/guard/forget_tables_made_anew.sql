-- Forgets the tables that pgbackfill made, where there was no Airflow, if they are gone or if an Airflow has made them anew.
-- Its slot_pool tells, which pgbackfill never makes.
do $$
begin
  if to_regclass('pgbackfill.host_table') is not null then
    delete from pgbackfill.host_table h
    where to_regclass('public.slot_pool') is not null or to_regclass(format('public.%I', h.name)) is null;
  end if;
end
$$;
