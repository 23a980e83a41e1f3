"""Runs start oldest slot first, and never too many of a backfill at once, however many callers there are."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import psycopg
import pytest
from psycopg import Connection
from support.dags import create, register


def start(conn: Connection[Any], limit: int = 20) -> list[tuple[str, int]]:
    rows = conn.execute(
        "select dag_id, sort_ordinal, state from pgbackfill.start_queued_dag_runs(%s)", [limit]
    ).fetchall()
    assert all(state == "running" for _, _, state in rows)
    return [(dag_id, ordinal) for dag_id, ordinal, _ in rows]


def test_oldest_slots_first_across_backfills(conn: Connection[Any]) -> None:
    register(conn, "b")
    register(conn, "a")
    create(conn, "b", max_active_runs=2)
    create(conn, "a", max_active_runs=2)
    assert sorted(start(conn, 2)) == [("a", 1), ("b", 1)]
    assert sorted(start(conn)) == [("a", 2), ("b", 2)]
    assert start(conn) == []


def test_backwards_runs_start_with_the_newest(conn: Connection[Any]) -> None:
    register(conn)
    create(conn, run_backwards=True, max_active_runs=1)
    row = conn.execute("select logical_date = '2026-01-03 UTC' from pgbackfill.start_queued_dag_runs()").fetchone()
    assert row == (True,)


def test_max_active_runs_holds_and_frees(conn: Connection[Any]) -> None:
    register(conn)
    create(conn, last="2026-01-05", max_active_runs=2)
    assert start(conn) == [("daily", 1), ("daily", 2)]
    assert start(conn) == []
    conn.execute(
        "select from pgbackfill.finish_dag_run((select dag_run_id from pgbackfill.backfill_dag_runs where sort_ordinal = 1), 'success')"
    )
    assert start(conn) == [("daily", 3)]


def test_a_full_backfill_does_not_hide_another_one(conn: Connection[Any]) -> None:
    register(conn, "full")
    register(conn, "free")
    create(conn, "full", max_active_runs=1)
    assert start(conn) == [("full", 1)]
    create(conn, "free", max_active_runs=1)
    assert start(conn, 1) == [("free", 1)]


def test_a_backfill_that_another_caller_holds_is_left_to_it(
    conn: Connection[Any], connect: Callable[..., Connection[Any]]
) -> None:
    register(conn)
    create(conn, max_active_runs=2)
    other = connect()
    other.execute("begin")
    assert start(other) == [("daily", 1), ("daily", 2)]
    conn.execute("set lock_timeout = '1ms'")
    assert start(conn) == []
    other.execute("rollback")
    assert start(conn) == [("daily", 1), ("daily", 2)]


def test_a_run_that_somebody_holds_is_not_waited_for(
    conn: Connection[Any], connect: Callable[..., Connection[Any]]
) -> None:
    register(conn)
    create(conn)
    holder = connect()
    holder.execute("begin")
    holder.execute("select from dag_run order by id limit 1 for update")
    conn.execute("set lock_timeout = '1ms'")
    assert start(conn) == [("daily", 2), ("daily", 3)]
    holder.execute("rollback")


@pytest.mark.parametrize("column", ["is_paused", "is_stale"])
def test_runs_of_a_paused_or_stale_dag_are_held_back(conn: Connection[Any], column: str) -> None:
    register(conn)
    create(conn)
    conn.execute(f"update dag set {column} = true")
    assert start(conn) == []
    conn.execute(f"update dag set {column} = false")
    assert len(start(conn)) == 3


def test_runs_without_a_backfill_are_left_alone(conn: Connection[Any]) -> None:
    register(conn)
    conn.execute(
        "insert into dag_run (dag_id, run_id, run_type, run_after, state) values ('daily', 'm', 'manual', now(), 'queued')"
    )
    assert start(conn) == []


def test_max_active_runs_holds_with_twelve_callers(
    conn: Connection[Any], connect: Callable[..., Connection[Any]]
) -> None:
    register(conn)
    limit = 3
    backfill_id = create(conn, first="2026-01-01", last="2026-04-30", max_active_runs=limit)
    done = Event()
    most = 0

    def work(worker: Connection[Any]) -> int:
        finished = 0
        while not done.is_set():
            for (run,) in worker.execute("select dag_run_id from pgbackfill.start_queued_dag_runs(2)").fetchall():
                worker.execute("select from pgbackfill.finish_dag_run(%s, 'success')", [run])
                finished += 1
        return finished

    workers = [connect() for _ in range(12)]
    with ThreadPoolExecutor(len(workers)) as pool:
        results = [pool.submit(work, worker) for worker in workers]
        try:
            while True:
                counts = conn.execute("select running, queued from pgbackfill.backfill_progress").fetchone()
                assert counts is not None
                most = max(most, counts[0])
                if counts == (0, 0):
                    break
        finally:
            done.set()
        assert sum(r.result() for r in results) == 120
    assert 1 <= most <= limit
    # Every run was started once: no two of them overlap more than the limit allows, by their own times.
    overlap = conn.execute(
        """
        select max(active) from (
          select (select count(*) from dag_run o where o.start_date <= r.start_date and o.end_date > r.start_date) as active from dag_run r
        ) s
        """
    ).fetchone()
    assert overlap is not None
    assert overlap[0] <= limit
    assert conn.execute("select id from pgbackfill.mark_backfills_complete()").fetchall() == [(backfill_id,)]


@pytest.mark.parametrize("limit", [None, 0, -1])
def test_a_bad_limit_is_refused(conn: Connection[Any], limit: int | None) -> None:
    with pytest.raises(psycopg.Error) as error:
        conn.execute("select from pgbackfill.start_queued_dag_runs(%s::integer)", [limit])
    assert error.value.sqlstate == "PB016"


@pytest.mark.parametrize("level", ["repeatable read", "serializable"])
def test_a_snapshot_older_than_the_lock_is_refused(conn: Connection[Any], level: str) -> None:
    register(conn)
    create(conn)
    conn.execute("begin")
    conn.execute(f"set transaction isolation level {level}")
    with pytest.raises(psycopg.Error, match="read committed") as error:
        start(conn)
    conn.execute("rollback")
    assert error.value.sqlstate == "PB016"


def test_a_run_without_a_slot_is_left_alone(conn: Connection[Any]) -> None:
    register(conn)
    create(conn)
    conn.execute("delete from backfill_dag_run where sort_ordinal = 1")
    assert start(conn) == [("daily", 2), ("daily", 3)]


def test_a_backfill_that_airflows_scheduler_holds_is_left_to_it(
    conn: Connection[Any], connect: Callable[..., Connection[Any]]
) -> None:
    """The scheduler locks the backfill row, counts and promotes (#58752): whoever does not ask for that lock counts wrongly."""
    register(conn)
    create(conn)
    scheduler = connect()
    scheduler.execute("begin")
    scheduler.execute("select from backfill for update skip locked")
    conn.execute("set lock_timeout = '1ms'")
    assert start(conn) == []
    scheduler.execute("rollback")
    assert len(start(conn)) == 3
