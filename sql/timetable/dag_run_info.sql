-- One slot of a timetable: when it is for, and when its run may start.
create type pgbackfill.dag_run_info as (
  logical_date timestamptz,
  data_interval_start timestamptz,
  data_interval_end timestamptz,
  run_after timestamptz,
  partition_key text,
  partition_date timestamptz
);

comment on type pgbackfill.dag_run_info is
  'A slot as Airflow''s DagRunInfo has it. A partition has partition_key and partition_date, and no logical date or data interval.';
