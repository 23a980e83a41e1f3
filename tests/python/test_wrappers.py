"""Every function, on every kind of connection, gives the same values in the caller's own transaction."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pgbackfill
import pytest
from pgbackfill import DagRunInfo, PlannedSlot, RegisteredDag
from psycopg import Connection
from python.callers import Caller
from support.dags import create, insert_uninitialized_backfill, register

FIRST = datetime(2026, 1, 1, tzinfo=timezone.utc)
LAST = datetime(2026, 1, 3, tzinfo=timezone.utc)
BERLIN_WINTER = timezone(timedelta(hours=1))


def test_a_backfill_from_the_dag_to_the_end(caller: Caller) -> None:
    dag = caller("register_dag", "daily", "0 0 * * *", description="100 % of 'it': ünï")
    assert dag == RegisteredDag("daily", 1, dag.timetable)
    assert dag.timetable["__var"]["expression"] == "0 0 * * *"

    infos = caller("timetable_infos", dag.timetable, FIRST, LAST)
    assert infos == caller("dag_run_infos", "daily", FIRST, LAST)
    assert infos[0] == DagRunInfo(FIRST, FIRST, FIRST, FIRST)
    backwards = caller("dag_run_infos", "daily", FIRST, LAST, run_backwards=True)
    assert [i.logical_date for i in backwards] == [LAST, datetime(2026, 1, 2, tzinfo=timezone.utc), FIRST]

    plan = caller("plan_backfill", "daily", FIRST, LAST)
    run_id = "backfill__2026-01-01T00:00:00+00:00"
    assert plan[0] == PlannedSlot(1, FIRST, FIRST, FIRST, FIRST, None, None, run_id, "create", None, None)

    created = caller(
        "create_backfill",
        "daily",
        FIRST,
        LAST,
        max_active_runs=2,
        dag_run_conf={"text": "50 % :x 'ü'", "deep": [1, None]},
        triggering_user_name="jo",
    )
    assert (created.dag_id, created.from_date, created.to_date, created.max_active_runs) == ("daily", FIRST, LAST, 2)
    assert (created.status, created.is_paused, created.triggering_user_name) == ("queued", False, "jo")
    assert (created.slots_created, created.slots_cleared, created.slots_skipped) == (3, 0, 0)
    assert created.dag_run_conf == {"text": "50 % :x 'ü'", "deep": [1, None]}
    assert created.created_at == created.initialized_at
    assert created.created_at.tzinfo is timezone.utc
    assert caller("get_backfill", created.id) == created
    assert caller("list_backfills") == [created]

    assert caller("pause_backfill", created.id).status == "paused"
    assert caller("start_queued_dag_runs") == []
    assert caller("unpause_backfill", created.id).status == "queued"

    started = caller("start_queued_dag_runs", max_dag_runs=5)
    assert [(r.sort_ordinal, r.state, r.conf) for r in started] == [
        (n, "running", created.dag_run_conf) for n in (1, 2)
    ]
    for run, state in zip(started, ["success", "failed"], strict=True):
        assert caller("finish_dag_run", run.dag_run_id, state).state == state
    progress = caller("backfill_progress", created.id)
    assert (progress.slots, progress.success, progress.failed, progress.queued) == (3, 1, 1, 1)
    assert progress.percent_finished == Decimal("66.7")
    assert caller("mark_backfills_complete") == []

    (last,) = caller("start_queued_dag_runs")
    caller("finish_dag_run", last.dag_run_id, "success")
    assert [r.state for r in caller("backfill_dag_runs", created.id)] == ["success", "failed", "success"]
    (completed,) = caller("mark_backfills_complete")
    assert (completed.id, completed.status) == (created.id, "completed")

    again = caller("create_backfill", "daily", FIRST, LAST, reprocess_behavior="failed")
    assert (again.slots_created, again.slots_cleared, again.slots_skipped) == (0, 1, 2)
    assert caller("cancel_backfill", again.id).status == "cancelled"
    assert caller("reap_abandoned_backfills", grace=timedelta(minutes=1)) == []


def test_nothing_is_committed(caller: Caller, conn: Connection[Any]) -> None:
    register(conn)
    created = caller("create_backfill", "daily", FIRST, LAST)
    assert pgbackfill.list_backfills(conn) == []
    assert caller("list_backfills") == [created]
    caller.rollback()
    assert caller("list_backfills") == []


def test_a_refusal_is_our_exception_with_the_drivers_as_its_cause(caller: Caller) -> None:
    with pytest.raises(pgbackfill.DagNotFound) as refused:
        caller("create_backfill", "100 % :none 'ü'", FIRST, LAST)
    assert refused.value.sqlstate == "PB002"
    assert refused.value.message == "DAG \"100 % :none 'ü'\" not found"
    assert refused.value.hint == "Is the dag_id right, and has the DAG been parsed, or registered where no Airflow is?"
    cause = refused.value.__cause__
    assert cause is not None
    assert type(cause).__module__.partition(".")[0] in ("psycopg", "sqlalchemy")


def test_a_refusal_leaves_the_transaction_to_the_caller(conn: Connection[Any]) -> None:
    with conn.transaction():
        pgbackfill.register_dag(conn, "daily", "0 0 * * *")
        with pytest.raises(pgbackfill.DagNotFound), conn.transaction():
            pgbackfill.create_backfill(conn, "other", FIRST, LAST)
        pgbackfill.create_backfill(conn, "daily", FIRST, LAST)
    assert [b.dag_id for b in pgbackfill.list_backfills(conn)] == ["daily"]


def test_times_are_utc_whatever_the_session_says(caller: Caller, conn: Connection[Any]) -> None:
    conn.execute(
        "do $$ begin execute format('alter database %I set timezone = ''Asia/Kathmandu''', current_database()); end $$"
    )
    register(conn)
    conn.execute("set timezone = 'Asia/Kathmandu'")
    start = datetime(2026, 1, 1, 1, tzinfo=BERLIN_WINTER)
    for backfill in (
        pgbackfill.create_backfill(conn, "daily", start, LAST),
        pgbackfill.get_backfill(conn, 1),
        caller("get_backfill", 1),
    ):
        assert backfill.from_date == FIRST
        assert backfill.from_date.isoformat() == "2026-01-01T00:00:00+00:00"


def test_slots_of_the_caller(caller: Caller, conn: Connection[Any]) -> None:
    register(conn)
    day = datetime(2026, 1, 2, 8, tzinfo=BERLIN_WINTER)
    infos = [
        DagRunInfo(FIRST, FIRST, day, FIRST),
        {"logical_date": day, "data_interval_start": day, "data_interval_end": day, "run_after": day.isoformat()},
    ]
    planned = caller("plan_backfill", "daily", FIRST, LAST, infos=infos)
    assert [(s.logical_date, s.data_interval_end) for s in planned] == [(FIRST, day), (day, day)]
    assert caller("create_backfill", "daily", FIRST, LAST, infos=infos).slots_created == 2


def test_an_abandoned_backfill_is_reaped(conn: Connection[Any]) -> None:
    register(conn)
    abandoned = insert_uninitialized_backfill(conn, "daily", "1 hour")
    assert pgbackfill.get_backfill(conn, abandoned).status == "initializing"
    (reaped,) = pgbackfill.reap_abandoned_backfills(conn)
    assert (reaped.id, reaped.status) == (abandoned, "abandoned")


def test_the_list_can_be_narrowed(conn: Connection[Any]) -> None:
    for dag_id in ("a", "b", "c"):
        register(conn, dag_id)
        create(conn, dag_id)
    pgbackfill.cancel_backfill(conn, 2)

    def ids(**filters: Any) -> list[int]:
        return [b.id for b in pgbackfill.list_backfills(conn, **filters)]

    assert ids() == [3, 2, 1]
    assert ids(active=True) == [3, 1]
    assert ids(active=False) == [2]
    assert ids(dag_id="a") == [1]
    assert ids(dag_id="b", active=True) == []
    assert ids(active=True, limit=1) == [3]


def test_a_backfill_that_is_not_there(caller: Caller) -> None:
    for function in ("get_backfill", "backfill_progress", "pause_backfill"):
        with pytest.raises(pgbackfill.BackfillNotFound, match="backfill 99 not found"):
            caller(function, 99)
        caller.rollback()
    assert caller("backfill_dag_runs", 99) == []


def test_answers_cannot_be_changed(conn: Connection[Any]) -> None:
    register(conn)
    backfill: Any = pgbackfill.create_backfill(conn, "daily", FIRST, LAST)
    with pytest.raises(FrozenInstanceError):
        backfill.status = "done"
    assert not hasattr(backfill, "__dict__")


@pytest.mark.parametrize(
    ("schedule", "options", "name"),
    [
        ("0 0 * * *", {"create_cron_data_intervals": True}, "CronDataIntervalTimetable"),
        (["0 0 * * *", "30 6 * * 1"], {"timezone": "Asia/Tokyo"}, "MultipleCronTriggerTimetable"),
        (("@daily",), {}, "MultipleCronTriggerTimetable"),
        (timedelta(hours=6), {"create_delta_data_intervals": True}, "DeltaDataIntervalTimetable"),
        (timedelta(days=1, microseconds=1), {}, "DeltaTriggerTimetable"),
        ([FIRST, LAST], {}, "EventsTimetable"),
        (
            {
                "__type": "airflow.timetables.trigger.DeltaTriggerTimetable",
                "__var": {"delta": {"months": 1}, "interval": 0},
            },
            {},
            "DeltaTriggerTimetable",
        ),
    ],
)
def test_every_kind_of_schedule(caller: Caller, schedule: Any, options: dict[str, Any], name: str) -> None:
    dag = caller("register_dag", "d", schedule, **options)

    assert dag.timetable["__type"].rsplit(".")[-1] == name
    assert caller("dag_run_infos", "d", FIRST, LAST)


@pytest.mark.parametrize(
    ("schedule", "options"),
    [
        (5, {}),
        ([5], {}),
        ([FIRST, "@daily"], {}),
        (timedelta(days=1), {"timezone": "Asia/Tokyo"}),
        (["@daily"], {"create_cron_data_intervals": True}),
        ("@daily", {"create_delta_data_intervals": True}),
        ({}, {"timezone": "UTC"}),
        ("@daily", {"timezone": timezone.utc}),
    ],
)
def test_schedules_and_options_that_do_not_go_together(caller: Caller, schedule: Any, options: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        caller("register_dag", "d", schedule, **options)


def test_a_naive_date_of_a_schedule(caller: Caller) -> None:
    with pytest.raises(ValueError, match="time zone"):
        caller("register_dag", "d", [datetime(2026, 1, 1)])
