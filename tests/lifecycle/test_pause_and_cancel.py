"""Pausing, unpausing and cancelling a live backfill."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from psycopg import Connection
from support.dags import create, insert_uninitialized_backfill, register


@pytest.fixture
def backfill_id(conn: Connection[Any]) -> int:
    register(conn)
    return create(conn)


def call(conn: Connection[Any], function: str, backfill_id: int) -> tuple[Any, ...]:
    row = conn.execute(f"select status, is_paused, updated_at from pgbackfill.{function}(%s)", [backfill_id]).fetchone()
    assert row is not None
    return tuple(row)


def test_pause_and_unpause_are_idempotent(conn: Connection[Any], backfill_id: int) -> None:
    first = call(conn, "pause_backfill", backfill_id)
    assert first[:2] == ("paused", True)
    assert call(conn, "pause_backfill", backfill_id) == first
    assert call(conn, "unpause_backfill", backfill_id)[:2] == ("queued", False)
    assert call(conn, "unpause_backfill", backfill_id)[:2] == ("queued", False)
    events = [r[0] for r in conn.execute("select event from pgbackfill.event order by id").fetchall()]
    assert events == ["created", "initialized", "paused", "unpaused"]


def test_airflows_null_flag_counts_as_not_paused(conn: Connection[Any], backfill_id: int) -> None:
    conn.execute("update backfill set is_paused = null")
    assert call(conn, "pause_backfill", backfill_id)[0] == "paused"


def test_cancel_fails_queued_runs_and_leaves_running_ones(conn: Connection[Any], backfill_id: int) -> None:
    conn.execute("select from pgbackfill.start_queued_dag_runs(1)")
    assert call(conn, "cancel_backfill", backfill_id)[:2] == ("cancelled", False)
    rows = conn.execute("select state, end_date is not null from dag_run order by id").fetchall()
    assert rows == [("running", False), ("failed", True), ("failed", True)]
    assert create(conn, first="2026-02-01", last="2026-02-01"), "the DAG is free"


def test_a_completed_backfill_is_refused(conn: Connection[Any], backfill_id: int) -> None:
    call(conn, "cancel_backfill", backfill_id)
    for function in ("pause_backfill", "unpause_backfill", "cancel_backfill"):
        with pytest.raises(psycopg.Error) as error:
            call(conn, function, backfill_id)
        assert error.value.sqlstate == "PB012"


def test_cancel_waits_for_a_promotion_and_leaves_its_runs(
    conn: Connection[Any],
    connect: Callable[..., Connection[Any]],
    wait_until_blocked: Callable[..., None],
    backfill_id: int,
) -> None:
    promoter, canceller = connect(), connect()
    promoter.execute("begin")
    promoter.execute("select from pgbackfill.start_queued_dag_runs(2)")
    with ThreadPoolExecutor(1) as pool:
        cancelled = pool.submit(call, canceller, "cancel_backfill", backfill_id)
        wait_until_blocked(conn, canceller.info.backend_pid)
        promoter.execute("commit")
        assert cancelled.result()[0] == "cancelled"
    assert [r[0] for r in conn.execute("select state from dag_run order by id").fetchall()] == [
        "running",
        "running",
        "failed",
    ]


def test_a_lock_timeout_is_reported_as_such(
    conn: Connection[Any], connect: Callable[..., Connection[Any]], backfill_id: int
) -> None:
    holder = connect()
    holder.execute("begin")
    call(holder, "pause_backfill", backfill_id)
    conn.execute("set lock_timeout = '10ms'")
    with pytest.raises(psycopg.Error) as error:
        call(conn, "cancel_backfill", backfill_id)
    assert error.value.sqlstate == "55P03"
    holder.execute("rollback")


def test_a_cancel_during_an_airflow_creation_undoes_the_creation(
    conn: Connection[Any], connect: Callable[..., Connection[Any]]
) -> None:
    register(conn, "other")
    backfill_id = insert_uninitialized_backfill(conn, "other", age="5 seconds")
    creator = connect()
    creator.execute("begin")
    creator.execute(
        """
        with r as (
          insert into dag_run (dag_id, run_id, run_type, run_after, state, backfill_id)
          values ('other', 'r', 'backfill', now(), 'queued', %(id)s) returning id
        )
        insert into backfill_dag_run (backfill_id, dag_run_id, sort_ordinal) select %(id)s, r.id, 1 from r
        """,
        {"id": backfill_id},
    )
    conn.execute("set lock_timeout = '1ms'")  # a cancel does not wait for the creation
    assert call(conn, "cancel_backfill", backfill_id)[0] == "cancelled"
    with pytest.raises(psycopg.Error) as error:
        creator.execute("commit")
    assert error.value.sqlstate == "PB012"
    assert conn.execute("select count(*) from dag_run where dag_id = 'other'").fetchone() == (0,)


def test_an_airflow_creation_is_initialized_at_its_commit(
    conn: Connection[Any], connect: Callable[..., Connection[Any]]
) -> None:
    register(conn, "other")
    backfill_id = insert_uninitialized_backfill(conn, "other", age="5 seconds")
    creator = connect()
    creator.execute("begin")
    creator.execute(
        "insert into backfill_dag_run (backfill_id, exception_reason, sort_ordinal) values (%s, 'in flight', 1)",
        [backfill_id],
    )
    in_creation = creator.execute("select initialized_at from backfill where id = %s", [backfill_id]).fetchone()
    assert in_creation == (None,), "set at commit, so that the row is free until then"
    creator.execute("commit")
    assert conn.execute("select initialized_at is not null from backfill where id = %s", [backfill_id]).fetchone() == (
        True,
    )
