"""The same backfill created three ways, on databases that Airflow 3.3.2 migrated and that hold the same history."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import psycopg
from pgbackfill import migrate
from pgbackfill.server import EmbeddedServer
from psycopg import Connection
from support.airflow import AirflowDatabase, install
from support.databases import dsn_of

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
class Result:
    """Seconds of each way, medians; the ratios are of one run and may be compared across machines.

    The first call of a process or of a connection also loads, compiles and plans what later ones find ready.
    """

    runs: int
    tasks: int
    airflow_first: float
    airflow_warm: float
    create_backfill_first: float
    create_backfill: float
    bare_insert_first: float
    bare_insert: float


@dataclass(frozen=True)
class Databases:
    """Two copies of one database: as its Airflow left it, and with pgbackfill."""

    unmodified: AirflowDatabase
    migrated: AirflowDatabase


@contextmanager
def databases(server: EmbeddedServer) -> Iterator[Databases]:
    with psycopg.connect(server.dsn, autocommit=True) as admin, tempfile.TemporaryDirectory() as home:
        airflow = install("3.3.2")

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


def measure(on: Databases, shape: Shape, repeats: int, airflow_repeats: int) -> Result:
    """Takes the ways in turn, so that whatever else the machine does falls on all of them."""
    ways = [field.name for field in fields(Result) if field.name not in ("runs", "tasks")]
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    with on.unmodified.connect() as unmodified, on.migrated.connect() as migrated:
        start_afresh(migrated)
        by_create_backfill(migrated, shape)
        set_rows_aside(migrated, shape)
        for repeat in range(repeats):
            start_afresh(migrated)
            with on.migrated.connect() as new:
                seconds["create_backfill_first"].append(by_create_backfill(new, shape))
            start_afresh(migrated)
            warm_up(migrated, shape)
            seconds["create_backfill"].append(by_create_backfill(migrated, shape))
            start_afresh(migrated)
            with on.migrated.connect() as new:
                seconds["bare_insert_first"].append(by_bare_insert(new))
            start_afresh(migrated)
            warm_up(migrated, shape)
            seconds["bare_insert"].append(by_bare_insert(migrated))
            if repeat < airflow_repeats:
                start_afresh(unmodified)
                seconds["airflow_first"].append(by_airflow(on.unmodified, shape, warm=False))
                start_afresh(unmodified)
                seconds["airflow_warm"].append(by_airflow(on.unmodified, shape, warm=True))
    return Result(shape.runs, shape.tasks, **{way: statistics.median(times) for way, times in seconds.items()})


def by_airflow(database: AirflowDatabase, shape: Shape, warm: bool) -> float:
    """Seconds of the first backfill that a process creates, or of one after one day of another DAG."""
    windows = {shape.dag_id: shape.window}
    if warm:
        windows = {shape.other_dag_id: window(1), **windows}
    requests = [{"dag_id": dag_id, "from_date": first, "to_date": last} for dag_id, (first, last) in windows.items()]
    *_, answer = database.script("create_backfill.py", requests, logging__logging_level="INFO")  # Airflow's default
    return float(answer["seconds"])


def by_create_backfill(conn: Connection[Any], shape: Shape) -> float:
    start = time.perf_counter()
    conn.execute("select from pgbackfill.create_backfill(%s, %s, %s)", [shape.dag_id, *shape.window])
    return time.perf_counter() - start


def by_bare_insert(conn: Connection[Any]) -> float:
    start = time.perf_counter()
    with conn.transaction():
        for table in ROWS:
            conn.execute(f"insert into {table} select * from staging_{table}")
    return time.perf_counter() - start


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


def warm_up(conn: Connection[Any], shape: Shape) -> None:
    """Fresh statistics make a connection forget its plans, those of foreign keys, too: make them anew, and leave no row."""
    with conn.transaction(force_rollback=True):
        conn.execute("select from pgbackfill.create_backfill(%s, %s, %s)", [shape.other_dag_id, *window(1)])


def window(runs: int) -> tuple[str, str]:
    return FIRST.isoformat(), (FIRST + timedelta(days=runs - 1)).isoformat()
