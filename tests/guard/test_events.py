"""What happens to a backfill is recorded and announced, whoever does it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from psycopg import Connection
from support.dags import create, finish_runs, insert_uninitialized_backfill, register


@pytest.fixture
def backfill_id(conn: Connection[Any]) -> int:
    register(conn)
    return create(conn)


def events(conn: Connection[Any], backfill_id: int) -> list[str]:
    rows = conn.execute(
        "select event from pgbackfill.event where backfill_id = %s order by id", [backfill_id]
    ).fetchall()
    return [event for (event,) in rows]


def test_a_life_through_our_functions(conn: Connection[Any], backfill_id: int) -> None:
    conn.execute("select from pgbackfill.pause_backfill(%s)", [backfill_id])
    conn.execute("select from pgbackfill.unpause_backfill(%s)", [backfill_id])
    finish_runs(conn, backfill_id)
    conn.execute("select from pgbackfill.mark_backfills_complete()")
    assert events(conn, backfill_id) == ["created", "initialized", "paused", "unpaused", "completed"]


def test_a_life_through_airflows_statements(conn: Connection[Any]) -> None:
    register(conn)
    backfill_id = insert_uninitialized_backfill(conn, "daily", age="0 seconds")
    conn.execute(
        "insert into backfill_dag_run (backfill_id, exception_reason, sort_ordinal) values (%s, 'in flight', 1)",
        [backfill_id],
    )
    conn.execute("update backfill set is_paused = true, updated_at = now()")
    conn.execute("update backfill set is_paused = false, updated_at = now()")
    conn.execute("update backfill set completed_at = now()")
    assert events(conn, backfill_id) == ["created", "initialized", "paused", "unpaused", "completed"]


def test_an_update_that_changes_nothing_is_no_event(conn: Connection[Any], backfill_id: int) -> None:
    conn.execute("update backfill set updated_at = now()")
    assert events(conn, backfill_id) == ["created", "initialized"]


def test_a_refusal_is_recorded_once_in_a_row(conn: Connection[Any], backfill_id: int) -> None:
    for _ in range(3):
        conn.execute("update backfill set completed_at = now()")
    assert events(conn, backfill_id) == ["created", "initialized", "completion_refused"]
    assert conn.execute("select completed_at from backfill").fetchone() == (None,)


def test_every_event_is_announced_at_commit(
    conn: Connection[Any], connect: Callable[..., Connection[Any]], backfill_id: int
) -> None:
    listener = connect()
    listener.execute("listen pgbackfill")
    with conn.transaction():
        conn.execute("select from pgbackfill.pause_backfill(%s)", [backfill_id])
        assert list(listener.notifies(timeout=0.1)) == []
    (notification,) = listener.notifies(timeout=10, stop_after=1)
    assert json.loads(notification.payload) == {"id": backfill_id, "dag_id": "daily", "event": "paused"}


def test_what_is_rolled_back_did_not_happen(conn: Connection[Any], backfill_id: int) -> None:
    with conn.transaction(force_rollback=True):
        conn.execute("select from pgbackfill.cancel_backfill(%s)", [backfill_id])
        assert events(conn, backfill_id)[-1] == "cancelled"
    assert events(conn, backfill_id) == ["created", "initialized"]


def test_the_writer_needs_no_right_on_our_schema(
    conn: Connection[Any], connect: Callable[..., Connection[Any]], backfill_id: int
) -> None:
    role = f"airflow_{conn.info.backend_pid}"
    conn.execute(f"create role {role}")
    conn.execute(f"grant select, insert, update on all tables in schema public to {role}")
    try:
        airflow = connect()
        airflow.execute(f"set role {role}")
        airflow.execute("update backfill set is_paused = true")
        airflow.close()
        assert events(conn, backfill_id)[-1] == "paused"
    finally:
        conn.execute(f"drop owned by {role}")
        conn.execute(f"drop role {role}")
