"""A creation whose backend dies leaves nothing behind."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from psycopg import Connection
from support.dags import create, register, set_tasks
from support.snapshot import row_counts

MOMENTS = 100
SLOTS = {"first": "2025-01-01", "last": "2025-12-31"}


@pytest.fixture
def busy_dag(conn: Connection[Any]) -> str:
    """A DAG whose backfill of a year takes a while to write."""
    dag_id = register(conn, "busy")
    set_tasks(conn, dag_id, *({"task_id": f"task_{n}"} for n in range(5)))
    return dag_id


def wait_until_gone(conn: Connection[Any], pid: int) -> None:
    deadline = time.monotonic() + 30
    while conn.execute("select pid from pg_stat_activity where pid = %s", [pid]).fetchone():
        assert time.monotonic() < deadline, f"backend {pid} is still there"
        time.sleep(0.001)


def usual_duration(conn: Connection[Any], dag_id: str) -> float:
    """Seconds that a creation takes here, undone each time."""
    durations = []
    for _ in range(5):
        with conn.transaction(force_rollback=True):
            start = time.perf_counter()
            create(conn, dag_id, **SLOTS)
            durations.append(time.perf_counter() - start)
    return min(durations)


def test_a_creator_killed_at_a_hundred_moments_leaves_not_one_row(
    conn: Connection[Any], connect: Callable[..., Connection[Any]], busy_dag: str
) -> None:
    duration = usual_duration(conn, busy_dag)
    before = row_counts(conn)
    killed = 0
    with ThreadPoolExecutor(1) as pool:
        for moment in range(MOMENTS):
            creator = connect()
            pid = creator.info.backend_pid
            creator.execute("begin")
            outcome = pool.submit(create, creator, busy_dag, **SLOTS)
            time.sleep(duration * moment / MOMENTS)
            conn.execute("select pg_terminate_backend(%s)", [pid])
            error = outcome.exception()
            if error is not None:
                assert isinstance(error, psycopg.OperationalError)
                killed += 1
            wait_until_gone(conn, pid)
            assert row_counts(conn) == before
    assert killed > MOMENTS / 2, "too few creations were under way when their backend was killed"

    backfill_id = create(conn, busy_dag, **SLOTS)
    counts = row_counts(conn)
    assert counts["public.dag_run"] == 365
    assert counts["public.backfill_dag_run"] == 365
    assert counts["public.task_instance"] == 5 * 365
    assert conn.execute("select id, status from pgbackfill.backfills").fetchall() == [(backfill_id, "queued")]


def test_nobody_sees_a_part_of_a_creation(
    conn: Connection[Any], connect: Callable[..., Connection[Any]], busy_dag: str
) -> None:
    before = row_counts(conn)
    creator = connect()
    creator.execute("begin")
    create(creator, busy_dag, **SLOTS)
    assert row_counts(conn) == before
    creator.execute("commit")
    assert row_counts(conn)["public.dag_run"] == 365
