"""watch follows a backfill to its end, and its exit status says how that was."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pgbackfill
import pytest
from cli.conftest import Command
from psycopg import Connection
from support.dags import create, finish_runs, insert_uninitialized_backfill, register


@pytest.fixture
def backfill_id(conn: Connection[Any]) -> int:
    register(conn)
    return create(conn)


def test_completed_is_status_0(pgb: Command, conn: Connection[Any], backfill_id: int) -> None:
    finish_runs(conn, backfill_id)
    pgbackfill.mark_backfills_complete(conn)
    watched = pgb("watch", backfill_id)
    assert watched.out == "completed  100 %  3 success, 0 failed, 0 running, 0 queued\n"


def test_failed_runs_are_status_1(pgb: Command, conn: Connection[Any], backfill_id: int) -> None:
    finish_runs(conn, backfill_id, "failed")
    pgbackfill.mark_backfills_complete(conn)
    document = pgb("watch", backfill_id, "--json", status=1).document
    assert (document["status"], document["failed"]) == ("completed", 3)


def test_cancelled_is_status_3(pgb: Command, conn: Connection[Any], backfill_id: int) -> None:
    pgbackfill.cancel_backfill(conn, backfill_id)
    assert pgb("watch", backfill_id, status=3).out.startswith("cancelled")


def test_abandoned_is_status_3(pgb: Command, conn: Connection[Any]) -> None:
    register(conn)
    abandoned = insert_uninitialized_backfill(conn, "daily", "1 hour")
    pgbackfill.reap_abandoned_backfills(conn)
    assert pgb("watch", abandoned, status=3).out.startswith("abandoned")


def test_an_unknown_backfill_is_one_line(pgb: Command) -> None:
    assert pgb("watch", 99, status=1).err == "pgbackfill: error: backfill 99 not found [PB011]\n"


@pytest.fixture
def watcher(dsn: str, backfill_id: int) -> Iterator[subprocess.Popen[str]]:
    """A `watch` of its own process, which has looked once."""
    command = [sys.executable, "-m", "pgbackfill", "--dsn", dsn, "watch", str(backfill_id), "--interval", "0.1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "queued  0 %  0 success, 0 failed, 0 running, 3 queued\n"
        yield process
        process.kill()


def test_each_change_is_a_line(watcher: subprocess.Popen[str], conn: Connection[Any], backfill_id: int) -> None:
    assert watcher.stdout is not None
    pgbackfill.start_queued_dag_runs(conn, max_dag_runs=1)
    assert watcher.stdout.readline() == "running  0 %  0 success, 0 failed, 1 running, 2 queued\n"
    finish_runs(conn, backfill_id)
    assert watcher.stdout.readline() == "running  100 %  3 success, 0 failed, 0 running, 0 queued\n"
    pgbackfill.mark_backfills_complete(conn)
    assert watcher.stdout.read() == "completed  100 %  3 success, 0 failed, 0 running, 0 queued\n"
    assert watcher.wait() == 0
