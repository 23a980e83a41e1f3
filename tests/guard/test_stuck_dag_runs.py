"""The view stuck_dag_runs says which runs do not move, why, and what holds them up."""

from __future__ import annotations

from typing import Any

import pytest
from psycopg import Connection
from support.dags import create, register, set_tasks


@pytest.fixture
def backfill_id(conn: Connection[Any]) -> int:
    register(conn)
    set_tasks(conn, "daily", {"task_id": "task"})
    return create(conn, max_active_runs=2)


def stuck(conn: Connection[Any]) -> list[tuple[str, str, list[str]]]:
    rows = conn.execute(
        "select state, reason, blocking_run_ids, hint, queued_at, dag_id from pgbackfill.stuck_dag_runs"
    ).fetchall()
    assert all(hint and queued_at and dag_id == "daily" for _, _, _, hint, queued_at, dag_id in rows)
    return [tuple(row[:3]) for row in rows]


def start(conn: Connection[Any]) -> None:
    assert len(conn.execute("select from pgbackfill.start_queued_dag_runs()").fetchall()) == 2


def test_what_is_about_to_start_is_not_stuck(conn: Connection[Any], backfill_id: int) -> None:
    assert stuck(conn) == []


def test_the_runs_that_hold_the_places_are_named(conn: Connection[Any], backfill_id: int) -> None:
    start(conn)
    holders = [f"backfill__2026-01-0{day}T00:00:00+00:00" for day in (1, 2)]
    assert stuck(conn) == [("queued", "max_active_runs", holders)]
    row = conn.execute("select backfill_id, run_id from pgbackfill.stuck_dag_runs").fetchone()
    assert row == (backfill_id, "backfill__2026-01-03T00:00:00+00:00")
    conn.execute("select from pgbackfill.finish_dag_run((select min(id) from dag_run), 'success')")
    assert stuck(conn) == []


def test_a_paused_backfill(conn: Connection[Any], backfill_id: int) -> None:
    start(conn)
    conn.execute("select from pgbackfill.pause_backfill(%s)", [backfill_id])
    assert stuck(conn) == [("queued", "backfill_paused", [])], "running runs go on"
    conn.execute("select from pgbackfill.unpause_backfill(%s)", [backfill_id])
    assert [reason for _, reason, _ in stuck(conn)] == ["max_active_runs"]


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("update dag set is_paused = true", "dag_paused"),
        ("update dag set is_stale = true, is_paused = true", "dag_stale"),
        ("delete from dag", "dag_missing"),
    ],
)
def test_what_the_dag_holds_up_comes_first(
    conn: Connection[Any], backfill_id: int, statement: str, reason: str
) -> None:
    start(conn)
    conn.execute("select from pgbackfill.pause_backfill(%s)", [backfill_id])
    conn.execute("set session_replication_role = replica")
    conn.execute(statement)
    found = stuck(conn)
    assert sorted((state, why) for state, why, _ in found) == [
        ("queued", reason),
        ("running", reason),
        ("running", reason),
    ]


def test_a_stale_pause_of_a_completed_backfill(conn: Connection[Any], backfill_id: int) -> None:
    conn.execute("select from pgbackfill.cancel_backfill(%s)", [backfill_id])
    conn.execute("update dag_run set state = 'queued', queued_at = now() where id = (select min(id) from dag_run)")
    assert stuck(conn) == []
    conn.execute("set session_replication_role = replica")
    conn.execute("update backfill set is_paused = true")
    assert stuck(conn) == [("queued", "paused_after_completion", [])]


def test_a_run_that_is_not_due(conn: Connection[Any], backfill_id: int) -> None:
    conn.execute("update dag_run set run_after = now() + interval '1 hour' where id = (select max(id) from dag_run)")
    assert stuck(conn) == [("queued", "not_due", [])]


def test_a_running_run_whose_tasks_ended_long_ago(conn: Connection[Any], backfill_id: int) -> None:
    start(conn)
    conn.execute("update dag_run set state = 'failed' where state = 'queued'")
    conn.execute("update task_instance set state = 'success', end_date = now() - interval '4 minutes'")
    assert stuck(conn) == [], "a scheduler that is busy has not seen it yet"
    conn.execute("update task_instance set end_date = now() - interval '6 minutes'")
    assert stuck(conn) == [("running", "tasks_finished", [])] * 2
    conn.execute("update task_instance set state = null where run_id like '%01-01%'")
    assert stuck(conn) == [("running", "tasks_finished", [])]
    conn.execute("delete from task_instance")
    assert stuck(conn) == [], "a run without tasks is its worker's"


def test_runs_without_a_backfill_are_not_shown(conn: Connection[Any], backfill_id: int) -> None:
    conn.execute("update dag set is_paused = true")
    conn.execute(
        "insert into dag_run (dag_id, run_id, run_type, run_after, state) values ('daily', 'm', 'manual', now(), 'queued')"
    )
    assert len(stuck(conn)) == 3
