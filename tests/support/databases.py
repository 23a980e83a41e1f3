"""The server that the tests run on, and what they ask it."""

from __future__ import annotations

import gc
import os
import time
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

import docker
from docker.errors import DockerException
from pgbackfill.server import BIN_VARIABLE, EmbeddedServer
from psycopg import Connection
from psycopg.conninfo import make_conninfo

# Durability is not what the tests are about; a crash of the machine ends them anyway.
SETTINGS = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "max_connections": "200"}
SETTINGS["max_prepared_transactions"] = "2"
SETTINGS["shared_preload_libraries"] = "pg_stat_statements"  # counts the statements of a creation
IMAGE = "postgres:18"

_PATIENCE_SECONDS = 30


@dataclass(frozen=True)
class Server:
    dsn: str
    """A superuser's."""


@contextmanager
def test_server() -> Iterator[Server]:
    if given := os.environ.get("PGBACKFILL_TEST_DSN"):
        yield Server(given)
    elif not os.environ.get(BIN_VARIABLE) and _docker_answers():
        with _container() as dsn:
            yield Server(dsn)
    else:
        with EmbeddedServer(SETTINGS) as embedded:
            yield Server(embedded.dsn)


def dsn_of(conn: Connection[Any], database: str) -> str:
    """The DSN of another database of the same server."""
    info = conn.info  # not its whole dsn: a newer libpq puts options there that an older psql does not know
    return make_conninfo(
        host=info.host, port=info.port, user=info.user, password=info.password or None, dbname=database
    )


def wait_until_blocked_by_someone(conn: Connection[Any], pid: int) -> None:
    """Return once the backend `pid` waits for a lock that another one holds."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while conn.execute("select cardinality(pg_blocking_pids(%s)) = 0", [pid]).fetchone() == (True,):
        if time.monotonic() > deadline:
            doing = conn.execute(
                "select state, wait_event_type, wait_event, query from pg_stat_activity where pid = %s", [pid]
            )
            raise AssertionError(f"backend {pid} is not blocked: {doing.fetchone()}")
        time.sleep(0.01)


def _docker_answers() -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # where no engine answers, docker leaves its socket open
        try:
            with closing(docker.from_env()) as client:
                return bool(client.ping())
        except DockerException:
            return False
        finally:
            gc.collect()


@contextmanager
def _container() -> Iterator[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # testcontainers' own deprecations are not ours
        from testcontainers.postgres import PostgresContainer

        options = " ".join(f"-c {name}={value}" for name, value in SETTINGS.items())
        container = PostgresContainer(IMAGE, username="postgres", dbname="postgres", driver=None)
        container.with_command(f"postgres {options}").start()
    try:
        yield container.get_connection_url()
    finally:
        container.stop()
