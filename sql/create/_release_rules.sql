-- What the release of Airflow whose tables these are writes in another way than others do: each rule, and why.
create or replace function pgbackfill._release_rules()
returns pgbackfill.release_rules
language sql
stable
set search_path = pg_catalog, pg_temp
as $$
  select
    row(
      -- Runs have a trace from 3.2 on, which there is marked as sampled, and from 3.3 on only where something samples it.
      case when r.minor >= 3 then '00' when r.minor = 2 then '01' end,
      -- From 3.3 on a key of the conf says how detailed the trace of the tasks is.
      r.minor >= 3,
      -- 3.0 looks for the operator's name where a serialized operator does not keep it.
      r.minor >= 1,
      -- run_on_latest_version came with 3.1. In 3.0 a cleared run stays on its DAG version, and yet takes the newest bundle.
      r.minor >= 1,
      r.minor = 0,
      -- 3.1 moves all task instances of the run to the latest version; later releases only those that it cleared.
      r.minor = 1,
      -- A run without a DAG version (of Airflow 2, or cleaned away) is moved to the latest, whatever was asked, from 3.3 on.
      r.minor >= 3,
      -- Until 3.1 a cleared run keeps the conf that it has, and a backfill without a conf has an empty one.
      r.minor >= 2,
      r.minor >= 2,
      -- Until 3.2 an unfinished attempt ends when it is cleared, even if it has an end already.
      r.minor <= 2
    )::pgbackfill.release_rules
  from (select pgbackfill._airflow_minor() as minor offset 0) r;  -- asked once
$$;

comment on function pgbackfill._release_rules() is
  'What Airflow 3.0, 3.1, 3.2 and 3.3 write in different ways, for the release at hand. Compared with 3.0.6, 3.1.8, 3.2.2 and 3.3.2.';

revoke all on function pgbackfill._release_rules() from public;
