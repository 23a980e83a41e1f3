-- What happens to one slot of a backfill, and why.
create type pgbackfill.planned_slot as (
  sort_ordinal integer,
  logical_date timestamptz,
  data_interval_start timestamptz,
  data_interval_end timestamptz,
  run_after timestamptz,
  partition_key text,
  partition_date timestamptz,
  run_id text,
  action text,
  exception_reason text,
  dag_run_id integer
);

comment on type pgbackfill.planned_slot is
  'A slot, its action (create, clear or skip), why it is skipped (in flight, already exists), and the run that exists for it. run_id is null where Airflow draws it at random (a new run of a partition).';
