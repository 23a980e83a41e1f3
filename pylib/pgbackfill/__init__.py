"""Backfills as a database primitive for Apache Airflow 3's metadata database on PostgreSQL.

Every function here calls the SQL function of the same name in the schema `pgbackfill`, on a connection and in a
transaction that are the caller's; `pgbackfill.aio` has the same functions for async connections.

    import psycopg, pgbackfill

    with psycopg.connect(dsn) as conn:
        backfill = pgbackfill.create_backfill(conn, "sales", from_date, to_date, max_active_runs=4)
"""

from pgbackfill._calls import DEFAULT
from pgbackfill._events import events
from pgbackfill._sync import (
    backfill_dag_runs,
    backfill_progress,
    cancel_backfill,
    create_backfill,
    dag_run_infos,
    events_after,
    finish_dag_run,
    get_backfill,
    list_backfills,
    mark_backfills_complete,
    pause_backfill,
    plan_backfill,
    reap_abandoned_backfills,
    register_dag,
    set_failure_policy,
    start_queued_dag_runs,
    timetable_infos,
    unpause_backfill,
)
from pgbackfill.errors import (
    AlreadyRunningBackfill,
    BackfillAlreadyCompleted,
    BackfillLocked,
    BackfillNotFound,
    DagNonPeriodicSchedule,
    DagNotFound,
    DagRunTypeNotAllowed,
    DuplicateActiveBackfills,
    IdempotencyKeyReused,
    InvalidArgument,
    InvalidBackfillConf,
    InvalidBackfillDate,
    InvalidBackfillDateRange,
    InvalidBackfillDirection,
    InvalidReprocessBehavior,
    NoBackfillRunsToCreate,
    PgBackfillError,
    UnsupportedDag,
    UnsupportedTimetable,
)
from pgbackfill.models import (
    BackfillProgress,
    BackfillState,
    DagRunInfo,
    DagRunState,
    Event,
    PlannedSlot,
    RegisteredDag,
)

__all__ = [
    "DEFAULT",
    "AlreadyRunningBackfill",
    "BackfillAlreadyCompleted",
    "BackfillLocked",
    "BackfillNotFound",
    "BackfillProgress",
    "BackfillState",
    "DagNonPeriodicSchedule",
    "DagNotFound",
    "DagRunInfo",
    "DagRunState",
    "DagRunTypeNotAllowed",
    "DuplicateActiveBackfills",
    "Event",
    "IdempotencyKeyReused",
    "InvalidArgument",
    "InvalidBackfillConf",
    "InvalidBackfillDate",
    "InvalidBackfillDateRange",
    "InvalidBackfillDirection",
    "InvalidReprocessBehavior",
    "NoBackfillRunsToCreate",
    "PgBackfillError",
    "PlannedSlot",
    "RegisteredDag",
    "UnsupportedDag",
    "UnsupportedTimetable",
    "backfill_dag_runs",
    "backfill_progress",
    "cancel_backfill",
    "create_backfill",
    "dag_run_infos",
    "events",
    "events_after",
    "finish_dag_run",
    "get_backfill",
    "list_backfills",
    "mark_backfills_complete",
    "pause_backfill",
    "plan_backfill",
    "reap_abandoned_backfills",
    "register_dag",
    "set_failure_policy",
    "start_queued_dag_runs",
    "timetable_infos",
    "unpause_backfill",
]
