"""The rows that the database answers with: one frozen dataclass per composite type or view of the schema `pgbackfill`.

The fields are the columns, by name. Every datetime is in UTC. JSON comes as Python objects.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any


@dataclass(frozen=True, slots=True)
class DagRunInfo:
    """A slot of a timetable. A partitioned slot has `partition_key` and `partition_date`, any other the three dates."""

    logical_date: datetime | None
    data_interval_start: datetime | None
    data_interval_end: datetime | None
    run_after: datetime
    partition_key: str | None = None
    partition_date: datetime | None = None


@dataclass(frozen=True, slots=True)
class PlannedSlot:
    """What creating a backfill would do to one slot: `action` is `create`, `clear` or `skip`.

    A skip has its reason in `exception_reason` (`in flight`, `already exists`). `dag_run_id` is the run that exists.
    """

    sort_ordinal: int
    logical_date: datetime | None
    data_interval_start: datetime | None
    data_interval_end: datetime | None
    run_after: datetime
    partition_key: str | None
    partition_date: datetime | None
    run_id: str | None
    action: str
    exception_reason: str | None
    dag_run_id: int | None


@dataclass(frozen=True, slots=True)
class BackfillState:
    """A backfill.

    `status` is `initializing`, `queued`, `running`, `paused`, `completed`, `cancelled` or `abandoned`. `on_failure` is
    what the next run that fails does to it: `continue`, `pause` or `cancel`.
    """

    id: int
    dag_id: str
    from_date: datetime
    to_date: datetime
    dag_run_conf: dict[str, Any] | None
    is_paused: bool
    reprocess_behavior: str
    max_active_runs: int
    created_at: datetime
    initialized_at: datetime | None
    completed_at: datetime | None
    updated_at: datetime
    triggering_user_name: str | None
    status: str
    slots_created: int
    slots_cleared: int
    slots_skipped: int
    on_failure: str


@dataclass(frozen=True, slots=True)
class DagRunState:
    """A slot of a backfill and its run.

    A skipped slot has `exception_reason` and no run; a slot whose run was deleted since has neither.
    """

    backfill_id: int
    sort_ordinal: int
    dag_id: str
    run_id: str | None
    dag_run_id: int | None
    logical_date: datetime | None
    data_interval_start: datetime | None
    data_interval_end: datetime | None
    run_after: datetime | None
    partition_key: str | None
    state: str | None
    exception_reason: str | None
    conf: dict[str, Any] | None
    queued_at: datetime | None
    start_date: datetime | None
    end_date: datetime | None


@dataclass(frozen=True, slots=True)
class BackfillProgress:
    """How far a backfill is, in slots; `percent_finished` is 0 to 100.

    `estimated_completion_at` is null until runs have finished.
    """

    backfill_id: int
    dag_id: str
    status: str
    slots: int
    skipped: int
    queued: int
    running: int
    success: int
    failed: int
    deleted: int
    percent_finished: Decimal
    started_at: datetime | None
    last_finished_at: datetime | None
    estimated_completion_at: datetime | None


@dataclass(frozen=True, slots=True)
class RegisteredDag:
    """A DAG that `register_dag` made known, with its timetable as Airflow serializes it."""

    dag_id: str
    version_number: int
    timetable: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Event:
    """What happened to a backfill, whoever did it.

    `event` is `created`, `initialized`, `paused`, `unpaused`, `cancelled`, `completed`, `initialization_failed`,
    `completion_refused`, or `failure_policy_set`, `_applied` or `_delayed`; there may be others one day. `detail` says
    more where there is more to say; `by` in it is `migration` or `repair` where pgbackfill itself did it. `id` is the
    position to go on from.
    """

    id: int
    backfill_id: int
    dag_id: str
    event: str
    occurred_at: datetime
    detail: dict[str, Any]
