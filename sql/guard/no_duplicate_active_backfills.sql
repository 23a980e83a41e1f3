-- Stops a migration with PB020 while a DAG has several active backfills: the unique index could not be built.
do $$
declare
  v_schema constant text := (parse_ident('public.x'))[1];
  v_duplicates text;
begin
  select string_agg(format('%s: %s', d.dag_id, d.ids), '; ' order by d.dag_id)
  into v_duplicates
  from (
    select b.dag_id, string_agg(b.id::text, ', ' order by b.id) as ids
    from public.backfill b
    where b.completed_at is null
    group by b.dag_id
    having count(*) > 1
  ) d;

  if v_duplicates is not null then
    raise exception 'several active backfills for one DAG'
      using errcode = 'PB020',
        detail = v_duplicates,
        hint = format(
          'Close all but one of each DAG: pgbackfill repair duplicates --keep oldest (or newest)%s. '
            'Or cancel in Airflow those that you choose. Then migrate again.',
          case when v_schema <> 'public' then format(' --schema %I', v_schema) end
        );
  end if;
end
$$;
