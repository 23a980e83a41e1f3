-- One task instance to be, before it is crossed with the runs.
create type pgbackfill.task_template as (
  task_id text,
  map_index integer,
  map_length integer,
  retries integer,
  pool text,
  pool_slots integer,
  queue text,
  priority_weight integer,
  operator text,
  custom_operator_name text,
  executor text,
  executor_config bytea,
  task_display_name text,
  start_date timestamptz,
  end_date timestamptz
);

comment on type pgbackfill.task_template is
  'What every run writes for a task (and map index). map_length: null not mapped, -1 mapped with a length known only at run time. priority_weight or executor_config null: cannot be written from SQL.';
