"""Airflow's own code at work beside a test: held up, killed, raced, and asked over HTTP."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg import Connection

from support.airflow import SCRIPTS, AirflowDatabase
from support.airflow_processes import end_group

PATIENCE_SECONDS = 60


class Worker:
    """A process of an Airflow that does what it is asked; see `scripts/worker.py`."""

    def __init__(self, database: AirflowDatabase, log: Path) -> None:
        self._log = log
        with log.open("wb") as stderr:
            self.process = subprocess.Popen(
                [str(database.airflow.python), str(SCRIPTS / "worker.py")],
                env=database.environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                bufsize=0,
                start_new_session=True,
            )

    def ask(self, do: str, **arguments: Any) -> dict[str, Any]:
        """Send a request and wait for its answer; an exception of Airflow's is an answer with `error`."""
        self.send(do, **arguments)
        return self.receive()

    def send(self, do: str, **arguments: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"do": do, **arguments}).encode() + b"\n")

    def receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], PATIENCE_SECONDS)
        line = self.process.stdout.readline() if ready else b""
        if not line:
            log = self._log.read_text(errors="replace")
            raise AssertionError(f"no answer from {self.process.args!r} ({self.process.poll()}):\n{log[-4000:]}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def kill(self) -> None:
        """SIGKILL, as the kernel does when memory is short: no handler, no rollback, no goodbye to the server."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def close(self) -> None:
        end_group(self.process)
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()


@contextmanager
def workers(database: AirflowDatabase, number: int) -> Iterator[list[Worker]]:
    """So many processes of the Airflow, ready to be asked, and ended afterwards."""
    database.home.mkdir(parents=True, exist_ok=True)
    with ExitStack() as running:
        started = []
        for count in range(number):
            started.append(Worker(database, database.home / f"worker{count}.log"))
            running.callback(started[-1].close)
        for worker in started:
            assert worker.receive() == {"ready": True}
        yield started


@contextmanager
def slot_held(database: AirflowDatabase, dag_id: str, logical_date: str) -> Iterator[int]:
    """Hold up every creation of a run for this slot, and give the pid of the backend that does.

    An uncommitted run of the same date makes Airflow's insert wait on the unique index; in the end it is rolled back.
    """
    with psycopg.connect(database.dsn) as holder:
        holder.execute(
            """
            insert into dag_run (dag_id, run_id, logical_date, run_type, run_after, state)
            values (%s, 'held by a test', %s, 'manual', now(), 'success')
            """,
            [dag_id, logical_date],
        )
        try:
            yield holder.info.backend_pid
        finally:
            holder.rollback()


@contextmanager
def lined_up(database: AirflowDatabase, number: int) -> Iterator[None]:
    """Let the creations of the body go on only when so many have passed Airflow's check and are about to insert.

    A lock on the table lets the check read it and keeps the insert waiting.
    """
    with psycopg.connect(database.dsn) as holder, database.connect() as conn, ThreadPoolExecutor(1) as pool:
        holder.execute("lock table backfill in share mode")

        def release() -> None:
            waiting = "select from pg_stat_activity where %s = any (pg_blocking_pids(pid)) having count(*) = %s"
            try:
                wait_for(conn, waiting, [holder.info.backend_pid, number])
            finally:
                holder.rollback()

        released = pool.submit(release)
        yield
        released.result()


def wait_until_held_up(conn: Connection[Any], holder: int) -> int:
    """Return the pid of the backend that waits for the holder, once there is one."""
    blocked = "select pid from pg_stat_activity where datname = current_database() and %s = any (pg_blocking_pids(pid))"
    return int(wait_for(conn, blocked, [holder])[0])


def wait_until_gone(conn: Connection[Any], pid: int) -> None:
    """Return once the backend has noticed that its client is gone."""
    wait_for(conn, "select where not exists (select from pg_stat_activity where pid = %s)", [pid])


def value(conn: Connection[Any], query: str, parameters: list[Any] | None = None) -> Any:
    """The first column of the only row of the query."""
    ((found, *_),) = conn.execute(query, parameters).fetchall()
    return found


def wait_for(
    conn: Connection[Any],
    query: str,
    parameters: list[Any] | None = None,
    *,
    patience_seconds: float = PATIENCE_SECONDS,
    diagnosis: Callable[[], str] = str,
) -> tuple[Any, ...]:
    """The first row of the query, once it has one."""
    deadline = time.monotonic() + patience_seconds
    while True:
        row: tuple[Any, ...] | None = conn.execute(query, parameters).fetchone()
        if row is not None:
            return row
        if time.monotonic() > deadline:
            raise AssertionError(f"no row within {patience_seconds} s: {query} {parameters}\n{diagnosis()}")
        time.sleep(0.02)


@dataclass(frozen=True)
class Answer:
    status: int
    body: Any


@dataclass(frozen=True)
class Rest:
    """Airflow's public REST API."""

    port: int
    token: str

    @classmethod
    def sign_in(cls, port: int) -> Rest:
        """As an administrator: where everybody is one, a release gives out a token for nothing, and 3.1 insists on it."""
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/auth/token", timeout=PATIENCE_SECONDS) as response:
            return cls(port, json.load(response)["access_token"])

    def call(self, method: str, path: str, body: Any = None) -> Answer:
        """`path` is what follows `/api/v2`. Every status is an answer, none an exception."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/v2{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"},
            method=method,
        )
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as response:
                return Answer(response.status, json.load(response))
        except urllib.error.HTTPError as error:
            with error:
                text = error.read().decode()
            try:
                return Answer(error.code, json.loads(text))
            except ValueError:
                return Answer(error.code, text)

    def create(self, dag_id: str, from_date: str, to_date: str, **options: Any) -> Answer:
        return self.call(
            "POST", "/backfills", {"dag_id": dag_id, "from_date": from_date, "to_date": to_date, **options}
        )

    def race(self, number: int, dag_id: str, from_date: str, to_date: str) -> list[Answer]:
        """So many creations of the same backfill at once."""
        line_up = threading.Barrier(number)

        def create(_: int) -> Answer:
            line_up.wait()
            return self.create(dag_id, from_date, to_date)

        with ThreadPoolExecutor(number) as pool:
            return list(pool.map(create, range(number)))


def free(conn: Connection[Any], dag_id: str) -> None:
    """Take every backfill of the DAG away, with all that belongs to it."""
    conn.execute(
        "delete from backfill_dag_run where backfill_id in (select id from backfill where dag_id = %s)", [dag_id]
    )
    conn.execute("delete from dag_run where dag_id = %s", [dag_id])
    conn.execute("delete from backfill where dag_id = %s", [dag_id])
