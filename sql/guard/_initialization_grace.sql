-- How long after its row was committed a backfill without a live creator may still be about to get its runs.
create or replace function pgbackfill._initialization_grace()
returns interval
language sql
stable
set search_path = pg_catalog, pg_temp
as $$
  -- reap_abandoned_backfills sets it for its own transaction; nobody else does.
  select case
    when s.seconds ~ '^[0-9]{1,9}([.][0-9]+)?$' then make_interval(secs => s.seconds::double precision)
    else interval '2 minutes'
  end
  from (select current_setting('pgbackfill.initialization_grace', true) as seconds) s;
$$;

comment on function pgbackfill._initialization_grace() is
  'Two minutes, as Airflow''s own cutoff (#62561), unless reap_abandoned_backfills was given another. It covers only the moment between Airflow''s two transactions.';

revoke all on function pgbackfill._initialization_grace() from public;
