"""`make bench`: creation three ways on one Airflow 3.3.2 database: Airflow's own, create_backfill, bare INSERT ... SELECT.

Prints medians, ratios, versions and the machine's size; `--json FILE` keeps them, `--write-docs` renews docs/bench.md.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import click
import psycopg
from pgbackfill import migrate
from pgbackfill.server import EmbeddedServer
from psycopg import Connection
from rich.console import Console
from rich.table import Table
from support.airflow import AirflowDatabase, install
from support.databases import dsn_of

FIRST = datetime(2020, 1, 1, tzinfo=timezone.utc)
SHAPES = [(365, 1), (365, 10), (1825, 10)]
OF_MEASURED_DAG = {
    "backfill": "t.dag_id <> 'history'",
    "dag_run": "t.dag_id <> 'history'",
    "task_instance": "t.dag_id <> 'history'",
    "backfill_dag_run": "t.backfill_id in (select id from backfill where dag_id <> 'history')",
}
DAGS = Path(__file__).parent / "dags"
DOCS = Path(__file__).resolve().parents[1] / "docs" / "bench.md"


@dataclass(frozen=True)
class Result:
    """Seconds of each way, medians; the ratios are of one run and may be compared across machines."""

    runs: int
    tasks: int
    airflow: float
    create_backfill: float
    bare_insert: float

    @property
    def times_faster(self) -> float:
        return self.airflow / self.create_backfill

    @property
    def times_bare_insert(self) -> float:
        return self.create_backfill / self.bare_insert


@contextmanager
def airflow_database(server: EmbeddedServer) -> Iterator[AirflowDatabase]:
    """A database that Airflow 3.3.2 migrated, with the DAGs of `bench/dags`, and pgbackfill applied."""
    with psycopg.connect(server.dsn, autocommit=True) as admin, tempfile.TemporaryDirectory() as home:
        admin.execute("create database bench template template0")
        database = AirflowDatabase(install("3.3.2"), dsn_of(admin, "bench"), Path(home))
        config = {"dsn": database.dsn, "home": database.home, "core__dags_folder": str(DAGS)}
        database.airflow.command("db", "migrate", **config)  # type: ignore[arg-type]
        database.airflow.command("dags", "reserialize", **config)  # type: ignore[arg-type]
        migrate.upgrade(database.dsn)
        yield database


def window(runs: int) -> tuple[str, str]:
    return FIRST.isoformat(), (FIRST + timedelta(days=runs - 1)).isoformat()


def add_history(conn: Connection[Any]) -> None:
    """Three years of finished runs of another DAG: an Airflow's database is not empty, and its statistics know it."""
    conn.execute("select from pgbackfill.create_backfill('history', %s, %s)", window(3 * 365))
    conn.execute("update task_instance set state = 'success', try_number = 1")
    conn.execute("update dag_run set state = 'success'")
    conn.execute("select from pgbackfill.mark_backfills_complete()")


def remove_backfills(conn: Connection[Any]) -> None:
    """Back to the history alone, with fresh statistics."""
    conn.execute("delete from backfill_dag_run s using backfill b where b.id = s.backfill_id and b.dag_id <> 'history'")
    conn.execute("delete from dag_run where dag_id <> 'history'")
    conn.execute("delete from backfill where dag_id <> 'history'")
    conn.execute("vacuum analyze")


def by_airflow(database: AirflowDatabase, dag_id: str, runs: int) -> float:
    first, last = window(runs)
    request = {"dag_id": dag_id, "from_date": first, "to_date": last}
    (answer,) = database.script("create_backfill.py", [request], logging__logging_level="INFO")  # its default
    return float(answer["seconds"])


def by_create_backfill(conn: Connection[Any], dag_id: str, runs: int) -> float:
    start = time.perf_counter()
    conn.execute("select from pgbackfill.create_backfill(%s, %s, %s)", [dag_id, *window(runs)])
    return time.perf_counter() - start


def keep_rows(conn: Connection[Any]) -> None:
    """The rows of the backfill that is there, set aside: what the bare insert then writes needs no computing."""
    for table in OF_MEASURED_DAG:
        conn.execute(f"drop table if exists staging_{table}")
        conn.execute(
            f"create unlogged table staging_{table} as select t.* from {table} t where {OF_MEASURED_DAG[table]}"
        )
    conn.execute("vacuum analyze")


def by_bare_insert(conn: Connection[Any]) -> float:
    start = time.perf_counter()
    with conn.transaction():
        for table in OF_MEASURED_DAG:
            conn.execute(f"insert into {table} select * from staging_{table}")
    return time.perf_counter() - start


def measure(database: AirflowDatabase, runs: int, tasks: int, repeats: int) -> Result:
    dag_id = f"tasks_{tasks}"
    seconds: dict[str, list[float]] = {"airflow": [], "create_backfill": [], "bare_insert": []}
    with psycopg.connect(database.dsn, autocommit=True) as conn:
        remove_backfills(conn)
        by_create_backfill(conn, dag_id, runs)
        keep_rows(conn)
        counts = conn.execute(
            "select (select count(*) from staging_dag_run), (select count(*) from staging_task_instance)"
        ).fetchone()
        assert counts == (runs, runs * tasks), counts
        for _ in range(repeats):
            remove_backfills(conn)
            seconds["create_backfill"].append(by_create_backfill(conn, dag_id, runs))
            remove_backfills(conn)
            seconds["bare_insert"].append(by_bare_insert(conn))
        for _ in range(2):
            remove_backfills(conn)
            seconds["airflow"].append(by_airflow(database, dag_id, runs))
        remove_backfills(conn)
    return Result(runs, tasks, **{way: statistics.median(times) for way, times in seconds.items()})


def environment(conn: Connection[Any]) -> str:
    version = conn.execute("show server_version").fetchone()
    assert version is not None
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()} {platform.machine()}; "
        f"PostgreSQL {version[0].split()[0]} with its defaults, Airflow 3.3.2, Python {platform.python_version()}"
    )


def table(results: list[Result]) -> Table:
    shown = Table(title="Creating a backfill, median seconds")
    for heading in (
        "runs x tasks",
        "Airflow",
        "create_backfill",
        "bare INSERT",
        "faster than Airflow",
        "times bare INSERT",
    ):
        shown.add_column(heading, justify="right")
    for r in results:
        shown.add_row(
            f"{r.runs} x {r.tasks}",
            f"{r.airflow:.2f}",
            f"{r.create_backfill:.3f}",
            f"{r.bare_insert:.3f}",
            f"{r.times_faster:.0f}",
            f"{r.times_bare_insert:.2f}",
        )
    return shown


def markdown(results: list[Result], where: str) -> str:
    rows = "\n".join(
        f"| {r.runs} x {r.tasks} | {r.airflow:.2f} s | {r.create_backfill:.3f} s | {r.bare_insert:.3f} s "
        f"| **{r.times_faster:.0f}** | **{r.times_bare_insert:.2f}** |"
        for r in results
    )
    return f"""# How fast

`make bench` creates the same backfill three ways on one database that Airflow 3.3.2 migrated, one way after the other in one
run, starting each time from the same history (three years of finished runs of another DAG), freshly analyzed:

- **Airflow**: its own `_create_backfill`, with its default settings, timed inside its own process (the start of Python is not counted);
- **create_backfill**: one SQL call, from the client's side;
- **bare INSERT**: the very same rows, copied table by table by `insert ... select *` from tables that hold them ready. Nothing is
  computed, so this is what PostgreSQL itself needs for rows, indexes and foreign keys.

Medians of several repeats (of Airflow: two). Seconds depend on the machine and on what else it does; compare the ratios.

| runs x tasks | Airflow | create_backfill | bare INSERT | times faster than Airflow | times the bare INSERT |
|---|---|---|---|---|---|
{rows}

Measured {datetime.now(timezone.utc):%Y-%m-%d}: {where}.

The number of SQL statements inside `create_backfill` does not grow with the slots; `tests/create/test_statement_count.py` counts them.
"""


@click.command(help=__doc__)
@click.option("--repeats", default=5, show_default=True, help="How often each SQL way is measured.")
@click.option(
    "--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), help="Write the figures there too."
)
@click.option("--write-docs", is_flag=True, help="Renew docs/bench.md.")
def main(repeats: int, json_file: Path | None, write_docs: bool) -> None:
    console = Console(stderr=True)
    results = []
    with (
        console.status("Installing Airflow 3.3.2 and migrating a database ...") as status,
        EmbeddedServer() as server,
        airflow_database(server) as database,
    ):
        with psycopg.connect(database.dsn, autocommit=True) as conn:
            where = environment(conn)
            add_history(conn)
        for runs, tasks in SHAPES:
            status.update(f"{runs} runs x {tasks} tasks ...")
            results.append(measure(database, runs, tasks, repeats))
    Console().print(table(results))
    Console().print(where, highlight=False)
    if json_file:
        json_file.write_text(
            json.dumps({"environment": where, "results": [asdict(r) for r in results]}, indent=2) + "\n"
        )
    if write_docs:
        DOCS.write_text(markdown(results, where), encoding="utf-8")


if __name__ == "__main__":
    main()
