"""The same backfill created three ways, on databases that one Airflow migrated and that hold the same history."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
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
OF_ONE_RUN = {
    "dag_run": "id = (select min(id) from public.staging_dag_run)",
    "task_instance": "run_id = (select run_id from public.staging_dag_run order by id limit 1)",
    "backfill_dag_run": "dag_run_id = (select min(id) from public.staging_dag_run)",
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
    """What each server needs, in their order. All ways on all servers take turns, each round in another order, so that whatever
    else the machine does falls on all of them."""
    for on in servers:
        set_rows_aside(on, shape)
    creations = [Creation(shape.runs, shape.tasks, {way: [] for way in WAYS}) for _ in servers]
    ways = list(WAYS.items())
    for number in range(rounds):
        say(number)
        turns = list(zip(servers, creations, strict=True))
        first = number % len(ways)
        for on, creation in turns if number % 2 == 0 else reversed(turns):
            for way, take in ways[first:] + ways[:first]:
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


def by_create_backfill(on: Databases, shape: Shape, later: bool) -> float:
    call = "select from pgbackfill.create_backfill(%s, %s, %s)"
    return _seconds(
        on.migrated,
        lambda conn: conn.execute(call, [shape.dag_id, *shape.window]),
        (lambda conn: conn.execute(call, [shape.other_dag_id, *window(1)])) if later else None,
    )


def by_bare_insert(on: Databases, _: Shape, later: bool) -> float:
    """One statement too, on a database without pgbackfill."""
    return _seconds(
        on.unmodified,
        lambda conn: conn.execute(_insert({})),
        (lambda conn: conn.execute(_insert(OF_ONE_RUN))) if later else None,
    )


def _insert(conditions: Mapping[str, str]) -> str:
    inserts = (
        f"insert into public.{table} select * from public.staging_{table} where {conditions.get(table, 'true')};"
        for table in ROWS
    )
    return f"do $$ begin {' '.join(inserts)} end $$"


Statement = Callable[[Connection[Any]], object]


def _seconds(database: AirflowDatabase, statement: Statement, earlier: Statement | None) -> float:
    """Of connecting and the statement; or of the statement alone, on a new connection that has made and undone an earlier one."""
    with database.connect() as conn:
        start_afresh(conn)
    start = time.perf_counter()
    with database.connect() as conn:
        if earlier:
            with conn.transaction(force_rollback=True):
                earlier(conn)
            start = time.perf_counter()
        statement(conn)
        return time.perf_counter() - start


WAYS: dict[str, Callable[[Databases, Shape], float]] = {
    "airflow_first": partial(by_airflow, later=False),
    "airflow_later": partial(by_airflow, later=True),
    "create_backfill_first": partial(by_create_backfill, later=False),
    "create_backfill_later": partial(by_create_backfill, later=True),
    "bare_insert_first": partial(by_bare_insert, later=False),
    "bare_insert_later": partial(by_bare_insert, later=True),
}


def set_rows_aside(on: Databases, shape: Shape) -> None:
    """Keep the rows that create_backfill writes where the bare insert needs no computing to write them too."""
    with on.migrated.connect() as migrated, on.unmodified.connect() as unmodified:
        start_afresh(migrated)
        migrated.execute("select from pgbackfill.create_backfill(%s, %s, %s)", [shape.dag_id, *shape.window])
        for table, condition in ROWS.items():
            unmodified.execute(f"drop table if exists public.staging_{table}")
            unmodified.execute(f"create unlogged table public.staging_{table} (like public.{table})")
            cursor = unmodified.execute(f"select * from public.{table} limit 0")
            columns = ", ".join(column.name for column in cursor.description or [])
            with (
                migrated.cursor().copy(
                    f"copy (select {columns} from public.{table} where {condition}) to stdout"
                ) as rows,
                unmodified.cursor().copy(f"copy public.staging_{table} ({columns}) from stdin") as staging,
            ):
                for block in rows:
                    staging.write(block)
            unmodified.execute(f"vacuum analyze public.staging_{table}")
        counts = unmodified.execute(
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
