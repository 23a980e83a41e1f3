-- Stops a migration with PB020 while a DAG has several active backfills: the unique index could not be built.
do $$
declare
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
        hint = 'List them: select id, dag_id, created_at from backfill where completed_at is null order by dag_id, id. '
          'Cancel all but one of each DAG in Airflow, then migrate again.';
  end if;
end
$$;
