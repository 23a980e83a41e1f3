"""The functions and views: every file of sql/ but the triggers.

Locks: none on Airflow's tables; a function or a view takes none when it is created.
"""

from pgbackfill.objects import install, remove

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

TYPES = [
    "timetable/dag_run_info",
    "timetable/relativedelta",
    "timetable/strftime_piece",
    "cron/cron_fields",
    "plan/serialized_dag",
    "plan/planned_slot",
    "tasks/task_template",
    "create/new_dag_run",
    "views/backfill_state",
    "views/dag_run_state",
    "views/backfill_progress_state",
    "views/anomaly",
    "views/stuck_dag_run",
    "lifecycle/registered_dag",
]

# A function in SQL names others that must be there already; one in PL/pgSQL looks them up when it runs.
CRON = [
    "cron/_cron_number",
    "cron/_cron_range",
    "cron/_cron_values",
    "cron/_cron_weekdays",
    "cron/_cron_field",
    "cron/_cron_list",
    "cron/_cron_nth_weekdays",
    "cron/_cron_times",
    "cron/_split_cron",
    "cron/_nearest_weekday",
    "cron/_cron_days",
    "cron/_settle_cron_days",
    "cron/_parse_cron",
    "cron/_cron_walls",
    "cron/_cron_wall_after",
    "cron/_cron_wall_before",
    "cron/_cron_tick_after",
    "cron/_cron_tick_before",
    "cron/_cron_tick_at_offset",
    "cron/_cron_align",
    "cron/_cron_next_start",
    "cron/_zone_change",
    "cron/_cron_stretch_end",
]
TIMETABLE = [
    "timetable/_add_relativedelta",
    "timetable/_decode_relativedelta",
    "timetable/_shift",
    "timetable/_timetable_text",
    "timetable/_timetable_texts",
    "timetable/_timetable_zone",
    "timetable/_timetable_delta",
    "timetable/_earliest_tick",
    "timetable/_cron_ticks",
    "timetable/_cron_trigger_infos",
    "timetable/_cron_data_interval_infos",
    "timetable/_strftime_pieces",
    "timetable/_strftime_value",
    "timetable/_zone_abbreviation",
    "timetable/_key_format",
    "timetable/_run_offset",
    "timetable/_cron_partition_infos",
    "timetable/_delta_points",
    "timetable/_delta_trigger_infos",
    "timetable/_delta_data_interval_infos",
    "timetable/_events_infos",
    "timetable/timetable_infos",
]
TASKS = [
    "tasks/_serialized_tasks",
    "tasks/_decoded",
    "tasks/_literal_map_length",
    "tasks/_mapped_group_factors",
    "tasks/_priority_weights",
    "tasks/_task_templates",
]
PLAN = [
    "plan/_dag",
    "plan/_isoformat",
    "plan/_is_python_date",
    "plan/_check_arguments",
    "plan/_check_request",
    "plan/_parse_infos",
    "plan/_airflow_minor",
    "plan/_slots",
    "plan/_slot_decision",
    "plan/_plan",
    "plan/plan_backfill",
    "plan/dag_run_infos",
]
VIEWS = [
    "views/_backfill_state",
    "views/backfills",
    "views/active_backfills",
    "views/_dag_run_state",
    "views/backfill_dag_runs",
    "views/_backfill_progress",
    "views/backfill_progress",
    "views/_backfill_anomalies",
    "views/_slot_anomalies",
    "views/_run_anomalies",
    "views/_anomalies",
    "views/anomalies",
    "views/_tasks_ended_long_ago",
    "views/_stuck_dag_runs",
    "views/stuck_dag_runs",
]
CREATE = [
    "create/_uuid7",
    "create/_new_context_carrier",
    "create/_host_columns",
    "create/_check_creation_arguments",
    "create/_check_writable",
    "create/_claim_idempotency_key",
    "create/_insert_backfill",
    "create/_settle_plan",
    "create/_insert_dag_runs",
    "create/_insert_task_instances",
    "create/_archive_task_instances",
    "create/_reset_dag_runs",
    "create/_reset_task_instances",
    "create/_mark_removed_tasks",
    "create/_clear_dag_runs",
    "create/_insert_slots",
    "create/_create_runs",
    "create/create_backfill",
]
LIFECYCLE = [
    "guard/_check_on_failure",
    "guard/_arm_failure_policy",
    "guard/_hold_queued_runs",
    "guard/_cancel",
    "lifecycle/_lock_live_backfill",
    "lifecycle/_set_paused",
    "lifecycle/_check_read_committed",
    "lifecycle/pause_backfill",
    "lifecycle/unpause_backfill",
    "lifecycle/cancel_backfill",
    "lifecycle/mark_backfills_complete",
    "lifecycle/reap_abandoned_backfills",
    "lifecycle/_lock_backfills_with_room",
    "lifecycle/start_queued_dag_runs",
    "lifecycle/_finish_task_instances",
    "lifecycle/finish_dag_run",
    "lifecycle/_encoded_delta",
    "lifecycle/_upsert_dag",
    "lifecycle/_upsert_dag_version",
    "lifecycle/_register_dag",
    "lifecycle/register_dag",
    "lifecycle/register_dag.several",
    "lifecycle/register_dag.every",
    "lifecycle/register_dag.dates",
    "lifecycle/register_dag.serialized",
]
FILES = [*TYPES, "plan/_now", *CRON, *TIMETABLE, *TASKS, *PLAN, *VIEWS, *CREATE, *LIFECYCLE]


def upgrade() -> None:
    install(FILES)


def downgrade() -> None:
    remove(FILES)
