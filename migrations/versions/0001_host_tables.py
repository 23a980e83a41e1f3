"""Tables of Airflow's shape, where there is no Airflow.

Where Airflow's tables are, nothing but the package's own `host_table` and `host` are made, after two looks that end the whole
migration while nothing has changed yet: is it Airflow 3, and does a DAG have several active backfills (PB020)?

Locks: none on Airflow's tables (reads only).
"""

from pgbackfill.objects import options, refuse_to_lose_rows, run_file, run_sql, set_lock_timeout

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# The tables that the functions touch, with the columns, keys and indexes of Airflow 3.3.2. Left out: foreign keys to tables
# that only Airflow itself uses, and indexes that no function here reads.
HOST_TABLES = """
  create table public.dag_bundle (
    name varchar(250) primary key,
    active boolean,
    version varchar(200),
    last_refreshed timestamptz,
    signed_url_template text,
    template_params json
  );
  create table public.dag (
    dag_id varchar(250) primary key,
    is_paused boolean not null,
    is_stale boolean not null,
    exceeds_max_non_backfill boolean not null default false,
    last_parsed_time timestamptz,
    last_parse_duration double precision,
    last_expired timestamptz,
    fileloc varchar(2000),
    relative_fileloc varchar(2000),
    bundle_name varchar(250) not null references public.dag_bundle,
    bundle_version varchar(200),
    owners varchar(2000),
    dag_display_name varchar(2000),
    description text,
    timetable_type varchar(255) not null,
    timetable_summary text,
    timetable_description varchar(1000),
    timetable_partitioned boolean not null default false,
    timetable_periodic boolean not null default false,
    partition_mapper_info json not null,
    asset_expression json,
    deadline json,
    max_active_tasks integer not null,
    max_active_runs integer,
    max_consecutive_failed_dag_runs integer not null,
    has_task_concurrency_limits boolean not null,
    has_import_errors boolean default false,
    fail_fast boolean not null default false,
    allowed_run_types json,
    next_dagrun timestamptz,
    next_dagrun_data_interval_start timestamptz,
    next_dagrun_data_interval_end timestamptz,
    next_dagrun_partition_key varchar(255),
    next_dagrun_partition_date timestamptz,
    next_dagrun_create_after timestamptz
  );
  create table public.dag_version (
    id uuid primary key,
    version_number integer not null,
    dag_id varchar(250) not null references public.dag on delete cascade,
    bundle_name varchar(250),
    bundle_version varchar(250),
    version_data json,
    created_at timestamptz not null,
    last_updated timestamptz not null,
    constraint dag_id_v_name_v_number_unique_constraint unique (dag_id, version_number)
  );
  create table public.serialized_dag (
    id uuid primary key,
    dag_id varchar(250) not null,
    data jsonb,
    data_compressed bytea,
    created_at timestamptz not null,
    last_updated timestamptz not null,
    dag_hash varchar(32) not null,
    dag_version_id uuid not null unique references public.dag_version on delete cascade
  );
  create table public.log_template (
    id serial primary key,
    filename text not null,
    elasticsearch_id text not null,
    created_at timestamptz not null
  );
  create table public.backfill (
    id serial primary key,
    dag_id varchar(250) not null,
    from_date timestamptz not null,
    to_date timestamptz not null,
    dag_run_conf json not null,
    is_paused boolean,
    reprocess_behavior varchar(250) not null,
    max_active_runs integer not null,
    created_at timestamptz not null,
    completed_at timestamptz,
    updated_at timestamptz not null,
    triggering_user_name varchar(512)
  );
  create table public.dag_run (
    id serial primary key,
    dag_id varchar(250) not null,
    queued_at timestamptz,
    logical_date timestamptz,
    start_date timestamptz,
    end_date timestamptz,
    state varchar(50),
    run_id varchar(250) not null,
    creating_job_id integer,
    run_type varchar(50) not null,
    triggered_by varchar(50),
    triggering_user_name varchar(512),
    conf jsonb,
    data_interval_start timestamptz,
    data_interval_end timestamptz,
    run_after timestamptz not null,
    last_scheduling_decision timestamptz,
    log_template_id integer references public.log_template,
    created_at timestamptz,
    updated_at timestamptz,
    clear_number integer not null default 0,
    backfill_id integer references public.backfill,
    bundle_version varchar(250),
    scheduled_by_job_id integer,
    context_carrier jsonb,
    span_status varchar(250) not null default 'not_started',
    created_dag_version_id uuid references public.dag_version on delete set null,
    partition_key varchar(250),
    partition_date timestamptz,
    constraint dag_run_dag_id_logical_date_key unique (dag_id, logical_date),
    constraint dag_run_dag_id_run_id_key unique (dag_id, run_id)
  );
  create index dag_id_state on public.dag_run (dag_id, state);
  create index idx_dag_run_queued_dags on public.dag_run (state, dag_id) where state = 'queued';
  create index idx_dag_run_running_dags on public.dag_run (state, dag_id) where state = 'running';
  create table public.backfill_dag_run (
    id serial primary key,
    backfill_id integer not null,
    dag_run_id integer,
    exception_reason varchar(250),
    logical_date timestamptz,
    partition_key varchar(250),
    sort_ordinal integer not null,
    constraint ix_bdr_backfill_id_dag_run_id unique (backfill_id, dag_run_id),
    constraint bdr_backfill_fkey foreign key (backfill_id) references public.backfill on delete cascade,
    constraint bdr_dag_run_fkey foreign key (dag_run_id) references public.dag_run on delete set null
  );
  create table public.task_instance (
    id uuid primary key,
    task_id varchar(250) not null,
    dag_id varchar(250) not null,
    run_id varchar(250) not null,
    map_index integer not null default -1,
    start_date timestamptz,
    end_date timestamptz,
    duration double precision,
    state varchar(20),
    try_number integer not null,
    max_tries integer not null default -1,
    hostname varchar(1000),
    unixname varchar(1000),
    pool varchar(256) not null,
    pool_slots integer not null,
    queue varchar(256),
    priority_weight integer,
    operator varchar(1000),
    custom_operator_name varchar(1000),
    queued_dttm timestamptz,
    scheduled_dttm timestamptz,
    queued_by_job_id integer,
    last_heartbeat_at timestamptz,
    pid integer,
    executor varchar(1000),
    executor_config bytea,
    updated_at timestamptz,
    rendered_map_index varchar(250),
    context_carrier jsonb,
    span_status varchar(250) not null default 'not_started',
    external_executor_id text,
    trigger_id integer,
    trigger_timeout timestamptz,
    next_method varchar(1000),
    next_kwargs jsonb,
    task_display_name varchar(2000),
    dag_version_id uuid references public.dag_version on delete restrict,
    retry_delay_override double precision,
    retry_reason varchar(500),
    constraint task_instance_composite_key unique (dag_id, task_id, run_id, map_index),
    constraint task_instance_dag_run_fkey foreign key (dag_id, run_id) references public.dag_run (dag_id, run_id) on delete cascade
  );
  create index ti_dag_run on public.task_instance (dag_id, run_id);
  create index ti_dag_version_id on public.task_instance (dag_version_id);
  create table public.task_instance_history (
    task_instance_id uuid primary key,
    task_id varchar(250) not null,
    dag_id varchar(250) not null,
    run_id varchar(250) not null,
    map_index integer not null default -1,
    try_number integer not null,
    start_date timestamptz,
    end_date timestamptz,
    duration double precision,
    state varchar(20),
    max_tries integer default -1,
    hostname varchar(1000),
    unixname varchar(1000),
    pool varchar(256) not null,
    pool_slots integer not null,
    queue varchar(256),
    priority_weight integer,
    operator varchar(1000),
    custom_operator_name varchar(1000),
    queued_dttm timestamptz,
    scheduled_dttm timestamptz,
    queued_by_job_id integer,
    pid integer,
    executor varchar(1000),
    executor_config bytea,
    updated_at timestamptz,
    rendered_map_index varchar(250),
    context_carrier jsonb,
    span_status varchar(250) not null default 'not_started',
    external_executor_id text,
    trigger_id integer,
    trigger_timeout timestamp,
    next_method varchar(1000),
    next_kwargs jsonb,
    task_display_name varchar(2000),
    dag_version_id uuid,
    retry_delay_override double precision,
    retry_reason varchar(500),
    constraint task_instance_history_dtrt_uq unique (dag_id, task_id, run_id, map_index, try_number),
    constraint task_instance_history_ti_fkey foreign key (dag_id, task_id, run_id, map_index)
      references public.task_instance (dag_id, task_id, run_id, map_index) on update cascade on delete cascade
  );
  create table public.task_reschedule (
    id serial primary key,
    ti_id uuid not null references public.task_instance on delete cascade,
    start_date timestamptz not null,
    end_date timestamptz not null,
    duration integer not null,
    reschedule_date timestamptz not null
  );
  create index idx_task_reschedule_ti_id on public.task_reschedule (ti_id);
"""

NAMES = """array['dag_bundle', 'dag', 'dag_version', 'serialized_dag', 'log_template', 'backfill', 'dag_run', 'backfill_dag_run',
    'task_instance', 'task_instance_history', 'task_reschedule']"""

CREATE_WHERE_NONE = f"""
do $$
declare
  v_names constant text[] := {NAMES};
  v_present text[];
  v_schema constant text := (parse_ident('public.x'))[1];
  v_owner text;
  v_elsewhere text;
begin
  select coalesce(array_agg(n), array[]::text[])
  into v_present
  from unnest(v_names) as n
  where to_regclass('public.' || quote_ident(n)) is not null;

  if not has_schema_privilege(v_schema, 'create') then
    raise exception '% may not create objects in the schema of Airflow''s tables', current_user
      using errcode = 'insufficient_privilege',
        hint = format('grant create on schema %I to %I', v_schema, current_user);
  end if;

  if v_present @> v_names then
    -- The functions run as their owner and write to these tables, whose owner can attach triggers to them. So the two must
    -- be one role: a superuser's functions would run the triggers of Airflow's role as a superuser.
    select c.relowner::regrole::text
    into v_owner
    from unnest(v_names) as n
    join pg_class c on c.oid = to_regclass('public.' || quote_ident(n))
    where c.relowner <> current_user::regrole
    limit 1;
    if found then
      raise exception 'Airflow''s tables belong to %, not to %', v_owner, current_user
        using errcode = 'insufficient_privilege', hint = format('Connect as %s, or set PGOPTIONS="-c role=%s".', v_owner, v_owner);
    end if;
    if not exists (
      select
      from pg_attribute a
      where a.attrelid = 'public.task_instance'::regclass and a.attname = 'dag_version_id' and not a.attisdropped
    ) then
      raise exception 'the tables here are not those of Airflow 3.0 or later'
        using errcode = 'object_not_in_prerequisite_state', hint = 'Run "airflow db migrate" of Airflow 3 first.';
    end if;
    return;
  elsif cardinality(v_present) > 0 then
    raise exception 'some tables of Airflow 3 are here, but not all: % missing',
        (select string_agg(n, ', ') from unnest(v_names) as n where n <> all (v_present))
      using errcode = 'object_not_in_prerequisite_state', hint = 'Run "airflow db migrate" of Airflow 3 first.';
  end if;

  select min(b.schemaname)
  into v_elsewhere
  from pg_tables b
  join pg_tables r on r.schemaname = b.schemaname and r.tablename = 'dag_run'
  where b.tablename = 'backfill';
  if v_elsewhere is not null then
    raise exception 'Airflow''s tables are in the schema "%"', v_elsewhere
      using errcode = 'object_not_in_prerequisite_state', hint = format('Say --schema %I (alembic: -x schema=%I).', v_elsewhere, v_elsewhere);
  end if;
{HOST_TABLES}
  insert into pgbackfill.host_table (name, created_order)
  select n, ordinality
  from unnest(v_names) with ordinality as u(n, ordinality);
end
$$;
"""

HOST_TABLE = """
create table pgbackfill.host_table (
  name text primary key,
  created_order integer not null
);
comment on table pgbackfill.host_table is
  'The tables of Airflow''s shape that pgbackfill made because there was no Airflow; empty where Airflow is.';

create table pgbackfill.host (
  schema_name text primary key
);
insert into pgbackfill.host (schema_name) values ((parse_ident('public.x'))[1]);
comment on table pgbackfill.host is 'The schema of Airflow''s tables that pgbackfill is installed for.';
"""


# The loss of rows is looked for before anything is removed, see env.py, and here again.
DROP_WHAT_WAS_MADE = """
do $$
declare
  v_table record;
begin
  for v_table in select name from pgbackfill.host_table order by created_order desc loop
    execute format('drop table public.%I', v_table.name);
  end loop;
end
$$;
"""


def upgrade() -> None:
    set_lock_timeout()
    run_sql(HOST_TABLE)
    run_sql(CREATE_WHERE_NONE)
    if options().refuse_duplicates:
        run_file("guard/no_duplicate_active_backfills")


def downgrade() -> None:
    set_lock_timeout()
    refuse_to_lose_rows()
    run_sql(DROP_WHAT_WAS_MADE)
    run_sql("drop table pgbackfill.host;\ndrop table pgbackfill.host_table;")
