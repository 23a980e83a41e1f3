"""The SQL of every call: its text, its parameters, and what its rows become. The public functions are made from these.

A function here has the signature and the docstring of the public one, less the connection; `_sync` and `aio` add that.
An option that is not given is not sent, so the default of the SQL function holds and is written in one place only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime, timedelta, timezone
from enum import Enum
from typing import Any, Final, Generic, Literal, TypeVar

from pgbackfill.errors import BackfillNotFound
from pgbackfill.models import (
    BackfillProgress,
    BackfillState,
    DagRunInfo,
    DagRunState,
    Event,
    PlannedSlot,
    RegisteredDag,
)

T = TypeVar("T")

Json = Mapping[str, Any]
ReprocessBehavior = Literal["none", "failed", "completed"]
OnFailure = Literal["continue", "pause", "cancel"]


class Default(Enum):
    """The type of DEFAULT, which stands for "not given": the default of the SQL function holds. None is SQL's null."""

    DEFAULT = "DEFAULT"

    def __repr__(self) -> str:
        return self.value


DEFAULT: Final = Default.DEFAULT

_SQL_TYPES = {
    "after": "bigint",
    "backfill_id": "integer",
    "airflow_version": "text",
    "create_cron_data_intervals": "boolean",
    "create_delta_data_intervals": "boolean",
    "crons": "text[]",
    "dag_id": "text",
    "dag_run_conf": "jsonb",
    "dag_run_id": "integer",
    "dates": "timestamptz[]",
    "description": "text",
    "every": "interval",
    "from_date": "timestamptz",
    "grace": "interval",
    "idempotency_key": "text",
    "infos": "jsonb",
    "limit": "bigint",
    "max_active_runs": "integer",
    "max_dag_runs": "integer",
    "max_events": "integer",
    "on_failure": "text",
    "reprocess_behavior": "text",
    "run_backwards": "boolean",
    "run_on_latest_version": "boolean",
    "schedule": "text",
    "state": "text",
    "timetable": "jsonb",
    "timezone": "text",
    "to_date": "timestamptz",
    "triggering_user_name": "text",
}


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One statement, its columns in the order of `model`. `sql` has psycopg's placeholders, `text` SQLAlchemy's."""

    sql: str
    parameters: dict[str, Any]
    model: type[T]

    @property
    def text(self) -> str:
        return re.sub(r"%\((\w+)\)s", r":\1", self.sql)

    def many(self, rows: Iterable[Sequence[Any]]) -> list[T]:
        """The answer of a call that returns any number of rows."""
        return [self.model(*map(_from_sql, row)) for row in rows]

    def one(self, rows: Iterable[Sequence[Any]]) -> T:
        """The answer of a call that returns one row: only reading a backfill by its id can miss it."""
        found = self.many(rows)
        if not found:
            raise BackfillNotFound(f"backfill {self.parameters['backfill_id']} not found")
        return found[0]


def timetable_infos(
    timetable: Json, from_date: datetime, to_date: datetime, *, airflow_version: str | Default | None = DEFAULT
) -> Call[DagRunInfo]:
    """The slots of a timetable in a window, ascending. Reads no table.

    timetable: as Airflow serializes it, `{"__type": ..., "__var": {...}}`.
    from_date, to_date: both inclusive, with a time zone (a naive datetime is a ValueError).
    airflow_version: the release to agree with where releases differ, which is in partitions; the newest by default.

    Raises DagNonPeriodicSchedule (PB003), UnsupportedTimetable (PB013), InvalidArgument (PB016).
    Source of the rule: the timetable's `iter_dagrun_infos_between` in Airflow 3.3.2.
    """
    return _function(
        DagRunInfo,
        "timetable_infos",
        timetable=timetable,
        from_date=from_date,
        to_date=to_date,
        airflow_version=airflow_version,
    )


def dag_run_infos(
    dag_id: str, from_date: datetime, to_date: datetime, *, run_backwards: bool | Default = DEFAULT
) -> Call[DagRunInfo]:
    """The slots of a DAG that a backfill of the window has, in run order: those whose data interval has ended.

    Raises DagNotFound (PB002), DagNonPeriodicSchedule (PB003), UnsupportedTimetable (PB013), InvalidArgument (PB016).
    Source of the rule: `_get_info_list` in Airflow's `models/backfill.py`.
    """
    return _function(
        DagRunInfo, "dag_run_infos", dag_id=dag_id, from_date=from_date, to_date=to_date, run_backwards=run_backwards
    )


def plan_backfill(
    dag_id: str,
    from_date: datetime,
    to_date: datetime,
    *,
    run_backwards: bool | Default = DEFAULT,
    reprocess_behavior: ReprocessBehavior | Default = DEFAULT,
    dag_run_conf: Json | Default | None = DEFAULT,
    infos: Sequence[Json | DagRunInfo] | Default | None = DEFAULT,
) -> Call[PlannedSlot]:
    """What `create_backfill` would do to each slot, in run order; writes and locks nothing. No slot is an empty list.

    The arguments and the refusals are those of `create_backfill`, but for another active backfill (PB001) and for
    an older DAG version that SQL cannot write and a run to clear stays on (PB014). Source of the rule: `_do_dry_run`
    in Airflow's `models/backfill.py`, with the action on each slot added.
    """
    return _function(
        PlannedSlot,
        "plan_backfill",
        dag_id=dag_id,
        from_date=from_date,
        to_date=to_date,
        run_backwards=run_backwards,
        reprocess_behavior=reprocess_behavior,
        dag_run_conf=dag_run_conf,
        infos=infos,
    )


def create_backfill(
    dag_id: str,
    from_date: datetime,
    to_date: datetime,
    *,
    max_active_runs: int | Default = DEFAULT,
    run_backwards: bool | Default = DEFAULT,
    dag_run_conf: Json | Default | None = DEFAULT,
    reprocess_behavior: ReprocessBehavior | Default = DEFAULT,
    run_on_latest_version: bool | Default = DEFAULT,
    triggering_user_name: str | Default | None = DEFAULT,
    idempotency_key: str | Default | None = DEFAULT,
    infos: Sequence[Json | DagRunInfo] | Default | None = DEFAULT,
    on_failure: OnFailure | Default = DEFAULT,
) -> Call[BackfillState]:
    """Create a backfill with all its runs, in the caller's transaction: at commit everything is there, or nothing.

    from_date, to_date: both inclusive, with a time zone (a naive datetime is a ValueError).
    max_active_runs: how many of its runs may be running at once.
    dag_run_conf: a JSON object, the conf of every run; None leaves the conf of a run that is cleared as it is.
    reprocess_behavior: which slots that have a run already are run again: none, those that failed, or all completed.
    idempotency_key: the same key with the same request answers with the backfill that it made the first time.
    infos: the slots, ascending, for a timetable that SQL cannot evaluate; a datetime without an offset is an error.
    on_failure: what the first run that fails does to the backfill, see `set_failure_policy`.

    Raises AlreadyRunningBackfill (PB001), DagNotFound (PB002), DagNonPeriodicSchedule (PB003), DagRunTypeNotAllowed
    (PB004), InvalidBackfillDirection (PB005), InvalidReprocessBehavior (PB006), InvalidBackfillDate (PB007),
    InvalidBackfillDateRange (PB008), InvalidBackfillConf (PB009), NoBackfillRunsToCreate (PB010), UnsupportedTimetable
    (PB013), UnsupportedDag (PB014), IdempotencyKeyReused (PB015), InvalidArgument (PB016), BackfillLocked (55P03).
    Source of the rule: `_create_backfill` in Airflow's `models/backfill.py`.
    """
    return _function(
        BackfillState,
        "create_backfill",
        dag_id=dag_id,
        from_date=from_date,
        to_date=to_date,
        max_active_runs=max_active_runs,
        run_backwards=run_backwards,
        dag_run_conf=dag_run_conf,
        reprocess_behavior=reprocess_behavior,
        run_on_latest_version=run_on_latest_version,
        triggering_user_name=triggering_user_name,
        idempotency_key=idempotency_key,
        infos=infos,
        on_failure=on_failure,
    )


def pause_backfill(backfill_id: int) -> Call[BackfillState]:
    """Hold back the queued runs of a live backfill; running ones go on. Idempotent.

    Raises BackfillNotFound (PB011), BackfillAlreadyCompleted (PB012), BackfillLocked (55P03).
    """
    return _function(BackfillState, "pause_backfill", backfill_id=backfill_id)


def unpause_backfill(backfill_id: int) -> Call[BackfillState]:
    """Let the queued runs of a paused backfill start again. Idempotent.

    Raises BackfillNotFound (PB011), BackfillAlreadyCompleted (PB012), BackfillLocked (55P03).
    """
    return _function(BackfillState, "unpause_backfill", backfill_id=backfill_id)


def cancel_backfill(backfill_id: int) -> Call[BackfillState]:
    """End a live backfill now: its queued runs become failed, running ones go on.

    Raises BackfillNotFound (PB011), BackfillAlreadyCompleted (PB012), BackfillLocked (55P03).
    Source of the rule: `cancel_backfill` of Airflow's REST API.
    """
    return _function(BackfillState, "cancel_backfill", backfill_id=backfill_id)


def set_failure_policy(backfill_id: int, on_failure: OnFailure) -> Call[BackfillState]:
    """Say what the next run that fails does to a live backfill, whoever created it: nothing, pause it, or cancel it.

    It happens in the transaction that records the failure, and once: after that the policy has to be set again. Runs
    that failed before do not count. An operator resumes a paused backfill with `unpause_backfill`.

    Raises BackfillNotFound (PB011), BackfillAlreadyCompleted (PB012), InvalidArgument (PB016), BackfillLocked (55P03).
    Source of the rule: what users ask for in Airflow's #60767; Airflow itself has nothing of the kind.
    """
    return _function(BackfillState, "set_failure_policy", backfill_id=backfill_id, on_failure=on_failure)


def mark_backfills_complete() -> Call[BackfillState]:
    """Complete every initialized backfill that has no queued and no running run; returns those completed by this call.

    Airflow's scheduler does this itself every 30 seconds; a service with workers of its own calls it.
    """
    return _function(BackfillState, "mark_backfills_complete")


def reap_abandoned_backfills(*, grace: timedelta | Default = DEFAULT) -> Call[BackfillState]:
    """Complete every backfill whose creator died before it was initialized, and return them.

    grace: how old such a backfill must be. One whose creator still lives is left alone, however old.
    """
    return _function(BackfillState, "reap_abandoned_backfills", grace=grace)


def start_queued_dag_runs(*, max_dag_runs: int | Default = DEFAULT) -> Call[DagRunState]:
    """Start queued runs, oldest slots first, within each backfill's `max_active_runs`; returns those started now.

    For services with workers of their own: what one caller was given, no other is. Never waits for another caller, so
    an empty list may only mean that one is just starting runs of the same backfill.

    max_dag_runs: at most so many.

    Raises InvalidArgument (PB016).
    """
    return _function(DagRunState, "start_queued_dag_runs", max_dag_runs=max_dag_runs)


def finish_dag_run(dag_run_id: int, state: Literal["success", "failed"]) -> Call[DagRunState]:
    """Record how a running run of a backfill ended; its open task instances end with it. Idempotent.

    Raises InvalidArgument (PB016): unknown run, or one that is not running.
    """
    return _function(DagRunState, "finish_dag_run", dag_run_id=dag_run_id, state=state)


def register_dag(
    dag_id: str,
    schedule: str | timedelta | Sequence[str] | Sequence[datetime] | Json,
    *,
    timezone: str | Default = DEFAULT,
    max_active_runs: int | Default = DEFAULT,
    create_cron_data_intervals: bool | Default = DEFAULT,
    create_delta_data_intervals: bool | Default = DEFAULT,
    description: str | Default | None = DEFAULT,
) -> Call[RegisteredDag]:
    """Make a DAG known where there is no Airflow, or change its schedule.

    schedule: a cron expression or a preset such as `@daily`, several of them, a timedelta between two runs, the dates
    of all runs (each with a time zone), or any built-in timetable as Airflow serializes it.
    timezone: the IANA name of the zone that crons are read in.
    create_cron_data_intervals, create_delta_data_intervals: a run covers the interval up to the next tick instead of
    standing for its tick (Airflow's options of the same names); the one is for a cron, the other for a timedelta.

    Raises TypeError for a schedule of another type and for an option that does not go with it, DagNonPeriodicSchedule
    (PB003), UnsupportedTimetable (PB013), UnsupportedDag (PB014) where Airflow is, InvalidArgument (PB016) for an id,
    schedule or zone that is none.
    """
    parameter, options = _parameter_of_schedule(schedule)
    special = {
        "timezone": timezone,
        "create_cron_data_intervals": create_cron_data_intervals,
        "create_delta_data_intervals": create_delta_data_intervals,
    }
    for name, value in special.items():
        if value is not DEFAULT and name not in options:
            raise TypeError(f"{name} does not go with a schedule that is given as {type(schedule).__name__}")
    if not (timezone is DEFAULT or timezone is None or isinstance(timezone, str)):
        raise TypeError(f"timezone is the name of a zone, not {timezone!r}")
    return _function(
        RegisteredDag,
        "register_dag",
        dag_id=dag_id,
        **{parameter: schedule},
        **special,
        max_active_runs=max_active_runs,
        description=description,
    )


def _parameter_of_schedule(schedule: object) -> tuple[str, set[str]]:
    """The SQL parameter that takes a schedule, and the options that go with it."""
    match schedule:
        case None | str():
            return "schedule", {"timezone", "create_cron_data_intervals"}
        case timedelta():
            return "every", {"create_delta_data_intervals"}
        case Mapping():
            return "timetable", set()
        case [*dates] if dates and all(isinstance(date, datetime) for date in dates):
            return "dates", set()
        case [*crons] if all(isinstance(cron, str) for cron in crons):
            return "crons", {"timezone"}
    raise TypeError(f"schedule is a string, a timedelta, a list of strings or dates, or a timetable, not {schedule!r}")


def events_after(
    *,
    after: int | Default = DEFAULT,
    backfill_id: int | Default | None = DEFAULT,
    dag_id: str | Default | None = DEFAULT,
    max_events: int | Default | None = DEFAULT,
) -> Call[Event]:
    """The events whose id is above `after`, in the order of their ids: one look; `events` follows them.

    after: the id of the last event that was seen; 0 starts with the oldest.
    backfill_id, dag_id: only the events of this backfill, or of this DAG.
    max_events: at most so many; None is all.

    Called again with the last id, it gives each event exactly once: an event is held back while an open transaction may
    still bring one with a lower id. It waits for such transactions, a second at most, and then answers with nothing.

    Raises InvalidArgument (PB016): a bad argument, or an isolation level above READ COMMITTED.
    """
    return _function(Event, "events_after", after=after, backfill_id=backfill_id, dag_id=dag_id, max_events=max_events)


def list_backfills(
    *, dag_id: str | None = None, active: bool | None = None, limit: int | None = None
) -> Call[BackfillState]:
    """Backfills, newest first.

    dag_id: of this DAG only.  active: only those not completed yet (True) or only the others (False).
    limit: at most so many; None is all.
    """
    view = "active_backfills" if active else "backfills"
    conditions = ["b.completed_at is not null"] if active is False else []
    given: dict[str, Any] = {"limit": limit}  # PostgreSQL reads `limit null` as no limit
    if dag_id is not None:
        conditions.append("b.dag_id = {dag_id}")
        given["dag_id"] = dag_id
    where = f" where {' and '.join(conditions)}" if conditions else ""
    return _select(BackfillState, f"{view} b{where} order by b.id desc limit {{limit}}", **given)


# Reading one backfill asks the function behind the view: the view works out every backfill before a `where` is applied.


def get_backfill(backfill_id: int) -> Call[BackfillState]:
    """The backfill of this id.  Raises BackfillNotFound (PB011)."""
    return _select(BackfillState, "_backfill_state({backfill_id}) b", backfill_id=backfill_id)


def backfill_progress(backfill_id: int) -> Call[BackfillProgress]:
    """How far a backfill is.  Raises BackfillNotFound (PB011)."""
    return _select(BackfillProgress, "_backfill_progress({backfill_id}) b", backfill_id=backfill_id)


def backfill_dag_runs(backfill_id: int) -> Call[DagRunState]:
    """The slots of a backfill with their runs, in run order; an unknown backfill has none."""
    return _select(DagRunState, "_dag_run_state({backfill_id}) b order by b.sort_ordinal", backfill_id=backfill_id)


def _function(model: type[T], name: str, **arguments: Any) -> Call[T]:
    """A call of the function `name` with those arguments that the caller gave."""
    given = {k: v for k, v in arguments.items() if v is not DEFAULT}
    named = ", ".join(f"{k} => {{{k}}}" for k in given)
    return _select(model, f"{name}({named}) b", **given)


def _select(model: type[T], source: str, **given: Any) -> Call[T]:
    """A query on `source`, an object of the schema called `b`, in which `{name}` is a parameter.

    Parameters are cast, for else the drivers would choose the type by the value. `cast()` and not `::`, which
    SQLAlchemy's `text()` misreads after a parameter.
    """
    placeholders = {k: f"cast(%({k})s as {_SQL_TYPES[k]})" for k in given}
    columns = ", ".join(f"b.{c}" for c in _columns(model))
    return Call(
        sql=f"select {columns} from pgbackfill.{source.format(**placeholders)}",
        parameters={k: _to_sql(k, _SQL_TYPES[k], v) for k, v in given.items()},
        model=model,
    )


def _columns(model: type[Any]) -> list[str]:
    return [f.name for f in fields(model)]


def _to_sql(name: str, kind: str, value: Any) -> Any:
    """`value` as every driver takes it."""
    if value is None:
        return None
    if kind.endswith("[]"):
        return [_to_sql(name, kind.removesuffix("[]"), item) for item in value]
    if kind == "jsonb":
        return json.dumps(value, default=_json_default, allow_nan=False)
    if kind == "timestamptz":
        return _aware(name, value)
    return value


def _from_sql(value: Any) -> Any:
    """`value` the same whatever the session's time zone."""
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc)
    return value


def _aware(name: str, value: Any) -> datetime:
    """A naive datetime would be read in the session's time zone, which is anybody's guess."""
    if not isinstance(value, datetime):
        raise TypeError(f"{name} must be a datetime with a time zone, not {type(value).__name__}")
    if value.utcoffset() is None:
        raise ValueError(f"{name} must have a time zone, for example datetime(2026, 1, 1, tzinfo=timezone.utc)")
    return value


def _json_default(value: Any) -> Any:
    if isinstance(value, DagRunInfo):
        return asdict(value)
    if isinstance(value, datetime):
        return _aware("a datetime in JSON", value).isoformat()
    raise TypeError(f"{type(value).__name__} has no form in JSON")
