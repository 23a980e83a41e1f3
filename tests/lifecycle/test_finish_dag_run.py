"""Finishing a run from a service's worker."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg import Connection
from support.dags import create, register, set_tasks


@pytest.fixture
def run(conn: Connection[Any]) -> int:
    """A running run with four task instances, of which one is done and one is running."""
    register(conn)
    set_tasks(conn, "daily", *({"task_id": t} for t in ("done", "busy", "waiting")))
    create(conn, last="2026-01-01")
    row = conn.execute("select dag_run_id from pgbackfill.start_queued_dag_runs()").fetchone()
    assert row is not None
    conn.execute(
        "update task_instance set state = 'success', start_date = now(), end_date = now() where task_id = 'done'"
    )
    conn.execute("update task_instance set state = 'running', start_date = now() where task_id = 'busy'")
    return int(row[0])


def finish(conn: Connection[Any], run: int | None, state: str | None) -> str:
    row = conn.execute("select state from pgbackfill.finish_dag_run(%s::integer, %s)", [run, state]).fetchone()
    assert row is not None
    return str(row[0])


@pytest.mark.parametrize(
    ("state", "tasks"),
    [
        ("success", [("busy", "success"), ("done", "success"), ("waiting", "success")]),
        ("failed", [("busy", "failed"), ("done", "success"), ("waiting", "skipped")]),
    ],
)
def test_closes_the_run_and_its_open_tasks(
    conn: Connection[Any], run: int, state: str, tasks: list[tuple[str, str]]
) -> None:
    assert finish(conn, run, state) == state
    assert conn.execute("select task_id, state from task_instance order by task_id").fetchall() == tasks
    assert conn.execute("select end_date is not null from dag_run").fetchone() == (True,)


def test_finishing_again_with_the_same_state_changes_nothing(conn: Connection[Any], run: int) -> None:
    finish(conn, run, "success")
    before = conn.execute("select d.*, ctid from dag_run d").fetchall()
    assert finish(conn, run, "success") == "success"
    assert conn.execute("select d.*, ctid from dag_run d").fetchall() == before


def test_refusals(conn: Connection[Any], run: int) -> None:
    for bad_run, bad_state in [(None, "success"), (run, None), (run, "done"), (run, "running"), (-1, "success")]:
        with pytest.raises(psycopg.Error) as error:
            finish(conn, bad_run, bad_state)
        assert error.value.sqlstate == "PB016"
    finish(conn, run, "failed")
    with pytest.raises(psycopg.Error) as error:
        finish(conn, run, "success")
    assert error.value.sqlstate == "PB016"


def test_a_queued_run_must_be_started_first(conn: Connection[Any], run: int) -> None:
    conn.execute("update dag_run set state = 'queued'")
    with pytest.raises(psycopg.Error) as error:
        finish(conn, run, "success")
    assert error.value.sqlstate == "PB016"
    assert "start_queued_dag_runs" in (error.value.diag.message_hint or "")
