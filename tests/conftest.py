"""A server for the session, a template database migrated once, and a clone of it for each test."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import psycopg
import pytest
from pgbackfill import migrate
from psycopg import Connection, sql
from support.databases import Server, dsn_of, test_server, wait_until_blocked_by_someone
from support.psql import run_psql

# What a shell starts in the background ignores these, and so would every process that a test starts and interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """The server of `PGBACKFILL_TEST_DSN`; else one of the programs in `PGBACKFILL_PG_BIN`; else a container, where a Docker
    engine answers; else the embedded one."""
    with test_server() as found:
        yield found


@pytest.fixture(scope="session")
def admin(server: Server) -> Iterator[Connection[Any]]:
    """A superuser's connection to the server, to make and drop databases with."""
    with psycopg.connect(server.dsn, autocommit=True) as conn:
        yield conn


@pytest.fixture(scope="session")
def database_names(admin: Connection[Any]) -> Iterator[str]:
    """Names that no other test of this or another session uses."""
    prefix = f"pgbackfill_test_{admin.info.backend_pid}"
    return (f"{prefix}_{number}" for number in count(1))


@pytest.fixture(scope="session")
def template(admin: Connection[Any], database_names: Iterator[str]) -> Iterator[str]:
    """The name of a migrated database without Airflow, to be cloned."""
    name = next(database_names)
    _create(admin, name, "template0")
    try:
        migrate.upgrade(dsn_of(admin, name))
        yield name
    finally:
        _drop(admin, name)


@pytest.fixture
def empty_dsn(admin: Connection[Any], database_names: Iterator[str]) -> Iterator[str]:
    """A database of the test's own, with nothing in it."""
    name = next(database_names)
    _create(admin, name, "template0")
    yield dsn_of(admin, name)
    _drop(admin, name)


@pytest.fixture
def dsn(admin: Connection[Any], database_names: Iterator[str], template: str) -> Iterator[str]:
    """A migrated database of the test's own, on which no Airflow is."""
    name = next(database_names)
    _create(admin, name, template)
    yield dsn_of(admin, name)
    _drop(admin, name)


@pytest.fixture
def conn(connect: Callable[..., Connection[Any]]) -> Connection[Any]:
    """An autocommit connection to `dsn`."""
    return connect()


@pytest.fixture
def connect(dsn: str) -> Iterator[Callable[..., Connection[Any]]]:
    """Opens further connections to `dsn`, autocommit unless told otherwise; they are closed after the test."""
    opened: list[Connection[Any]] = []

    def open_connection(*, autocommit: bool = True, **options: Any) -> Connection[Any]:
        connection: Connection[Any] = psycopg.connect(dsn, autocommit=autocommit, **options)
        opened.append(connection)
        return connection

    yield open_connection
    for connection in opened:
        connection.close()


@pytest.fixture
def psql(request: pytest.FixtureRequest) -> Callable[..., str]:
    """Runs text through the real psql, on `dsn` unless another is given; returns what it prints, one row a line."""

    def run(text: str, *options: str, dsn: str | None = None) -> str:
        return run_psql(text, *options, dsn=dsn or request.getfixturevalue("dsn"))

    return run


@pytest.fixture
def wait_until_blocked() -> Callable[..., None]:
    """Called with a connection to look through and a backend's pid: returns once that backend waits for a lock."""
    return wait_until_blocked_by_someone


def _create(admin: Connection[Any], name: str, template: str) -> None:
    admin.execute(sql.SQL("create database {} template {}").format(sql.Identifier(name), sql.Identifier(template)))


def _drop(admin: Connection[Any], name: str) -> None:
    admin.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))
