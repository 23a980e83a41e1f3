"""Which server the tests run on."""

from __future__ import annotations

import os
import subprocess

import psycopg
import pytest
from pgbackfill.server import BIN_VARIABLE, Installation
from support import databases


def version_of_server(dsn: str) -> str:
    with psycopg.connect(dsn) as conn:
        row = conn.execute("select current_setting('server_version')").fetchone()
    assert row is not None
    return str(row[0])


def version_of_programs(installation: Installation) -> str:
    """As `postgres --version` says it: `postgres (PostgreSQL) 18.6`."""
    said = subprocess.run(
        [installation.bin / "postgres", "--version"],
        env=installation.environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    return said.stdout.strip().removeprefix("postgres (PostgreSQL) ")


@pytest.mark.skipif(not os.environ.get(BIN_VARIABLE), reason="no programs are named")
@pytest.mark.skipif("PGBACKFILL_TEST_DSN" in os.environ, reason="a server is named")
def test_the_tests_run_on_the_programs_that_are_named(server: databases.Server) -> None:
    assert version_of_server(server.dsn) == version_of_programs(Installation.find())


def test_programs_that_are_named_come_before_a_container(monkeypatch: pytest.MonkeyPatch) -> None:
    installed = Installation.find()
    monkeypatch.delenv("PGBACKFILL_TEST_DSN", raising=False)
    monkeypatch.setenv(BIN_VARIABLE, str(installed.bin))
    monkeypatch.setattr(databases, "_docker_answers", lambda: True)
    monkeypatch.setattr(databases, "_container", lambda: pytest.fail("a container was asked for"))
    with databases.test_server() as named:
        assert version_of_server(named.dsn) == version_of_programs(installed)
