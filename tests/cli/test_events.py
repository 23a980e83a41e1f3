"""events: what happened, and with --follow what happens."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pgbackfill
import psycopg
import pytest
from cli.conftest import Command
from psycopg import Connection
from support.dags import create, register


@pytest.fixture(autouse=True)
def dags(conn: Connection[Any]) -> None:
    for dag_id in ("a", "b"):
        register(conn, dag_id)


def test_a_table_oldest_first(pgb: Command, conn: Connection[Any]) -> None:
    create(conn, "a")
    create(conn, "b")
    conn.execute("update backfill set completed_at = now() where id = 2")
    header, *rows = pgb("events").out.splitlines()
    assert header.split() == ["ID", "AT", "BACKFILL", "DAG", "EVENT", "DETAIL"]
    assert [(row.split()[0], *row.split()[2:5]) for row in rows] == [
        ("1", "1", "a", "created"),
        ("2", "1", "a", "initialized"),
        ("3", "2", "b", "created"),
        ("4", "2", "b", "initialized"),
        ("5", "2", "b", "completion_refused"),
    ]
    assert rows[-1].endswith("reason: it has queued or running runs")


def test_it_can_be_narrowed(pgb: Command, conn: Connection[Any]) -> None:
    create(conn, "a")
    create(conn, "b")

    def ids(*options: object) -> list[int]:
        return [json.loads(line)["id"] for line in pgb("events", "--json", *options).out.splitlines()]

    assert ids() == [1, 2, 3, 4]
    assert ids("--backfill-id", 1) == [1, 2]
    assert ids("--dag-id", "b") == [3, 4]
    assert ids("--after", 1) == [2, 3, 4]
    assert ids("--after", 1, "--limit", 2) == [3, 4]
    assert ids("--limit", 0) == []
    assert pgb("events", "--dag-id", "nobody").out == "no events\n"
    assert pgb("events", "--dag-id", "nobody", "--json").out == ""


def test_json_is_one_object_a_line(pgb: Command, conn: Connection[Any]) -> None:
    create(conn, "a")
    first, _ = pgb("events", "--json").out.splitlines()
    event = json.loads(first)
    assert event.pop("occurred_at").endswith("Z")
    assert event == {"id": 1, "backfill_id": 1, "dag_id": "a", "event": "created", "detail": {}}


Follow = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def follow(dsn: str) -> Iterator[Follow]:
    started: list[subprocess.Popen[str]] = []

    def start(*options: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "pgbackfill", "--dsn", dsn, "events", "--follow", *options]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().rstrip("\n")


def test_follow_prints_what_is_there_and_then_what_comes(follow: Follow, conn: Connection[Any]) -> None:
    create(conn, "a")
    process = follow("--limit", "1")
    assert line(process).endswith("backfill 1 of a: initialized")
    pgbackfill.pause_backfill(conn, 1)
    assert line(process).endswith("backfill 1 of a: paused")
    create(conn, "b")
    assert line(process).endswith("backfill 2 of b: created")
    assert line(process).endswith("backfill 2 of b: initialized")
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert (process.returncode, errors.strip()) == (130, "pgbackfill: error: interrupted")


def test_follow_makes_a_lost_connection_again(follow: Follow, conn: Connection[Any]) -> None:
    process = follow("--json", "--dag-id", "a")
    create(conn, "a")
    assert [json.loads(line(process))["event"] for _ in range(2)] == ["created", "initialized"]
    conn.execute(
        "select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'pgbackfill' and datname = current_database()"
    )
    create(conn, "b")
    pgbackfill.cancel_backfill(conn, 1)
    assert json.loads(line(process))["event"] == "cancelled"


def test_an_unmigrated_database_is_one_line(bare_pgb: Command) -> None:
    refused = bare_pgb("events", status=1)
    assert refused.err.splitlines()[-1] == "hint: pgbackfill migrate"


def test_following_needs_a_database(follow: Follow, empty_dsn: str) -> None:
    with psycopg.connect(empty_dsn):
        process = follow("--dsn", empty_dsn)
        _, errors = process.communicate()
    assert process.returncode == 1
    assert errors.startswith("pgbackfill: error: pgbackfill is not installed")
