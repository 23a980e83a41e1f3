"""The same backfill created three ways, on databases that one Airflow migrated and that hold the same history."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
from pgbackfill import migrate
from pgbackfill.server import EmbeddedServer
from psycopg import Connection
from support.airflow import AirflowDatabase, install
from support.databases import dsn_of

AIRFLOW = "3.3.2"
DAGS = Path(__file__).parent / "dags"
FIRST = datetime(2020, 1, 1, tzinfo=timezone.utc)
HISTORY_RUNS = 3 * 365
DAG_IDS = ("tasks_1", "tasks_10")

# The tables of a creation, parents first, and which of their rows are not the history's.
ROWS = {
    "backfill": "dag_id <> 'history'",
    "dag_run": "dag_id <> 'history'",
    "task_instance": "dag_id <> 'history'",
    "backfill_dag_run": "backfill_id in (select id from backfill where dag_id <> 'history')",
}


@dataclass(frozen=True)
class Shape:
    """A backfill of so many daily runs of a DAG of so many tasks."""

    runs: int
    tasks: int

    @property
    def dag_id(self) -> str:
        return f"tasks_{self.tasks}"

    @property
    def other_dag_id(self) -> str:
        return next(dag_id for dag_id in DAG_IDS if dag_id != self.dag_id)

    @property
    def window(self) -> tuple[str, str]:
        return window(self.runs)


@dataclass(frozen=True)
class Creation:
    """Seconds of each of `WAYS`, one sample a round."""

    runs: int
    tasks: int
    seconds: dict[str, list[float]]


@dataclass(frozen=True)
class Databases:
    """Two copies of one database: as its Airflow left it, and with pgbackfill."""

    unmodified: AirflowDatabase
    migrated: AirflowDatabase


@contextmanager
def databases(server: EmbeddedServer) -> Iterator[Databases]:
    with psycopg.connect(server.dsn, autocommit=True) as admin, tempfile.TemporaryDirectory() as home:
        airflow = install(AIRFLOW)

        def database(name: str) -> AirflowDatabase:
            return AirflowDatabase(airflow, dsn_of(admin, name), Path(home), {"core__dags_folder": str(DAGS)})

        both = Databases(database("unmodified"), database("migrated"))
        admin.execute("create database migrated template template0")
        both.migrated.command("db", "migrate")
        both.migrated.command("dags", "reserialize")
        migrate.upgrade(both.migrated.dsn)
        add_history(both.migrated)
        admin.execute("create database unmodified template migrated")
        migrate.downgrade(both.unmodified.dsn)
        yield both


def add_history(database: AirflowDatabase) -> None:
    """Years of finished runs of another DAG: an Airflow's database is not empty, and its statistics know it."""
    with database.connect() as conn:
        conn.execute("select from pgbackfill.create_backfill('history', %s, %s)", window(HISTORY_RUNS))
        conn.execute("update task_instance set state = 'success', try_number = 1")
        conn.execute("update dag_run set state = 'success'")
        conn.execute("select from pgbackfill.mark_backfills_complete()")


def measure(servers: Sequence[Databases], shape: Shape, rounds: int, say: Callable[[int], None]) -> list[Creation]:
    """What each server needs, in their order. All ways on all servers take turns, so that what else the machine does falls on each."""
    for on in servers:
        with on.migrated.connect() as conn:
            start_afresh(conn)
            create_backfill(conn, shape)
            set_rows_aside(conn, shape)
    creations = [Creation(shape.runs, shape.tasks, {way: [] for way in WAYS}) for _ in servers]
    for number in range(rounds):
        say(number)
        turns = list(zip(servers, creations, strict=True))
        for on, creation in turns if number % 2 == 0 else reversed(turns):
            for way, take in WAYS.items():
                creation.seconds[way].append(take(on, shape))
    return creations


def by_airflow(on: Databases, shape: Shape, later: bool) -> float:
    """Seconds of the first backfill that a process creates, or of one after one day of another DAG."""
    with on.unmodified.connect() as conn:
        start_afresh(conn)
    windows = {shape.dag_id: shape.window}
    if later:
        windows = {shape.other_dag_id: window(1), **windows}
    requests = [{"dag_id": dag_id, "from_date": first, "to_date": last} for dag_id, (first, last) in windows.items()]
    *_, answer = on.unmodified.script(
        "create_backfill.py", requests, logging__logging_level="INFO"
    )  # Airflow's default
    return float(answer["seconds"])


def by_sql(on: Databases, shape: Shape, create: Callable[[Connection[Any], Shape], None], later: bool) -> float:
    """Seconds of connecting and the first statement, or of a statement after one day of another DAG on a new connection."""
    with on.migrated.connect() as conn:
        start_afresh(conn)
    start = time.perf_counter()
    with on.migrated.connect() as conn:
        if later:
            with conn.transaction(force_rollback=True):
                conn.execute("select from pgbackfill.create_backfill(%s, %s, %s)", [shape.other_dag_id, *window(1)])
            start = time.perf_counter()
        create(conn, shape)
        return time.perf_counter() - start


def create_backfill(conn: Connection[Any], shape: Shape) -> None:
    conn.execute("select from pgbackfill.create_backfill(%s, %s, %s)", [shape.dag_id, *shape.window])


def bare_insert(conn: Connection[Any], _: Shape) -> None:
    """One statement too, as create_backfill is."""
    inserts = " ".join(f"insert into public.{table} select * from public.staging_{table};" for table in ROWS)
    conn.execute(f"do $$ begin {inserts} end $$")


WAYS: dict[str, Callable[[Databases, Shape], float]] = {
    "airflow_first": partial(by_airflow, later=False),
    "airflow_later": partial(by_airflow, later=True),
    "create_backfill_first": partial(by_sql, create=create_backfill, later=False),
    "create_backfill_later": partial(by_sql, create=create_backfill, later=True),
    "bare_insert_first": partial(by_sql, create=bare_insert, later=False),
    "bare_insert_later": partial(by_sql, create=bare_insert, later=True),
}


def set_rows_aside(conn: Connection[Any], shape: Shape) -> None:
    """Keep the rows of the backfill that is there: what the bare insert then writes needs no computing."""
    for table, condition in ROWS.items():
        conn.execute(f"drop table if exists staging_{table}")
        conn.execute(f"create unlogged table staging_{table} as select * from {table} where {condition}")
    counts = conn.execute(
        "select (select count(*) from staging_dag_run), (select count(*) from staging_task_instance)"
    ).fetchone()
    assert counts == (shape.runs, shape.runs * shape.tasks), counts


def start_afresh(conn: Connection[Any]) -> None:
    """Back to the history alone, with fresh statistics of these tables, and with no checkpoint due that would fall into a measurement."""
    for table in ("backfill_dag_run", "dag_run", "backfill"):  # task instances go with their runs
        conn.execute(f"delete from {table} where {ROWS[table]}")
    conn.execute(f"vacuum analyze {', '.join(ROWS)}")
    conn.execute("checkpoint")


def window(runs: int) -> tuple[str, str]:
    return FIRST.isoformat(), (FIRST + timedelta(days=runs - 1)).isoformat()
