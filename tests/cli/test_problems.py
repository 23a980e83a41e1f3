"""Whatever goes wrong is a line or two on stderr and an exit status: no traceback, and no password."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest
from cli.conftest import command_on
from psycopg import Connection
from support.dags import create, register

SECRET = "s3cr3t-w0rd"


def run(*args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pgbackfill", *args],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PGBACKFILL_DSN": "", **environment},
    )


def lines_of(result: subprocess.CompletedProcess[str]) -> list[str]:
    """stderr, after the look that every problem must pass."""
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    lines = result.stderr.splitlines()
    assert lines[0].startswith("pgbackfill: error: ")
    assert all(line.startswith("hint: ") for line in lines[1:])
    assert len(lines) <= 2
    return lines


@pytest.mark.parametrize("command", [("status",), ("list",), ("migrate",), ("uninstall", "--yes")])
def test_no_server(command: Sequence[str]) -> None:
    result = run("--dsn", f"postgresql://jo:{SECRET}@127.0.0.1:1/db", *command)
    (line,) = lines_of(result)
    assert result.returncode == 1
    assert "Connection refused" in line
    assert SECRET not in line


@pytest.mark.parametrize(
    "dsn",
    [
        f"postgresql://jo:{SECRET}@127.0.0.1:1/db",
        f"postgresql://jo:{SECRET}@ss@127.0.0.1:1/db",
        f"postgresql://jo:x@{SECRET}@127.0.0.1:1/db",
        f"postgresql://jo:{SECRET}/x@127.0.0.1:1/db",
        f"postgresql://jo:x/{SECRET}@127.0.0.1:1/db",
        f"postgresql://jo:x:{SECRET}@127.0.0.1:1/db",
        f"postgresql://jo:x?{SECRET}@127.0.0.1:1/db",
        f"postgresql://jo:x#{SECRET}@127.0.0.1:1/db",
        f"postgresql://jo:x%zz{SECRET}@127.0.0.1:1/db",
        f"postgresql://jo:x {SECRET}@127.0.0.1:1/db",
        f"postgresql:/jo:{SECRET}@127.0.0.1:1/db",
        f"postgresql//jo:{SECRET}@127.0.0.1:1/db",
        f"jo:{SECRET}@127.0.0.1/db",
        f"postgresql://127.0.0.1:1/db?password={SECRET}",
        f"postgresql://127.0.0.1:1/db?pasword={SECRET}",
        f"host=127.0.0.1 port=1 password={SECRET}",
        f"host=127.0.0.1 port=1 password=x {SECRET}",
        f"host=127.0.0.1 port=1 password='{SECRET}",
        f"host=127.0.0.1 port=1 pasword={SECRET}",
        f"host=127.0.0.1 port=1 password='{SECRET}' sslmode=none",
    ],
)
@pytest.mark.parametrize("command", ["list", "migrate", "status"])
def test_no_part_of_a_password_is_printed(dsn: str, command: str) -> None:
    for failed in (command_on(dsn)(command, status=1), command_on("")("--dsn", dsn, command, status=1)):
        assert failed.out == ""
        assert SECRET not in failed.err
        assert failed.err.startswith("pgbackfill: error: ")


def test_a_password_that_the_server_refuses(dsn: str, conn: Connection[Any]) -> None:
    result = run("--dsn", f"{dsn} user=nobody-known password={SECRET}", "list")
    assert not any(SECRET in line for line in lines_of(result))


def test_without_any_dsn_the_hint_says_what_to_give(tmp_path: Any) -> None:
    result = run("list", PGHOST=str(tmp_path))
    assert lines_of(result)[1].startswith("hint: Say which database: --dsn or PGBACKFILL_DSN")


def test_a_database_without_pgbackfill(empty_dsn: str) -> None:
    result = run("--dsn", empty_dsn, "list")
    assert lines_of(result) == [
        "pgbackfill: error: pgbackfill is not installed in this database, or is an older one",
        "hint: pgbackfill migrate",
    ]


@pytest.mark.parametrize("args", [(), ("--help",), ("create", "-h"), ("--version",)])
def test_help_is_no_problem(args: Sequence[str]) -> None:
    result = run(*args)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout


def test_help_does_not_wait_for_sqlalchemy() -> None:
    code = "import sys, pgbackfill.cli; print({'sqlalchemy', 'alembic'} & sys.modules.keys())"
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert printed.stdout.strip() == "set()"


@pytest.mark.parametrize("args", [("nonsense",), ("show",), ("show", "x"), ("--nonsense",), ("list", "--limit", "0")])
def test_misuse(args: Sequence[str]) -> None:
    result = run(*args)
    assert result.returncode == 2
    assert lines_of(result)[1].endswith("--help")


def test_a_reader_that_goes_away(dsn: str, conn: Connection[Any]) -> None:
    register(conn, "often", "* * * * *")
    create(conn, "often", last="2026-01-05")
    shown = f"'{sys.executable}' -m pgbackfill --dsn '{dsn}' show 1 --runs"
    result = subprocess.run(f"{shown} | head -n 1", shell=True, capture_output=True, text=True, check=False)
    assert result.stdout.startswith("backfill")
    assert result.stderr == ""


def test_an_interrupt_ends_the_command_quietly(dsn: str, conn: Connection[Any]) -> None:
    register(conn)
    backfill_id = create(conn)
    command = [sys.executable, "-m", "pgbackfill", "--dsn", dsn, "watch", str(backfill_id)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
    assert (process.returncode, errors.strip()) == (130, "pgbackfill: error: interrupted")


def test_a_terminal_gets_colours_and_a_pipe_does_not(dsn: str) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "pgbackfill", "--dsn", dsn, "status"]
    environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm-256color"}
    subprocess.run(command, stdout=theirs, stdin=theirs, stderr=subprocess.DEVNULL, check=True, env=environment)
    os.close(theirs)
    printed = os.read(ours, 65536)
    os.close(ours)
    assert b"\x1b[32m" in printed
    assert "\x1b" not in run("--dsn", dsn, "status").stdout
