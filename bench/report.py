"""What the bench has measured, for a terminal, for a machine and for docs/bench.md."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict
from datetime import datetime, timezone
from typing import Any

from psycopg import Connection
from rich.table import Table

from bench.creation import Result
from bench.guard_cost import BATCH, GuardCost

HEADINGS = ("runs x tasks", "Airflow", "create_backfill", "bare INSERT", "speedup", "vs bare")
COST_HEADINGS = ("updates", "with triggers", "without", "ratio")


def environment(conn: Connection[Any]) -> str:
    """The machine and the versions, in one line."""
    version = conn.execute("show server_version").fetchone()
    assert version is not None
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()} {platform.machine()}; "
        f"PostgreSQL {version[0].split()[0]} with its defaults, Airflow 3.3.2, Python {platform.python_version()}"
    )


def as_tables(results: list[Result], cost: GuardCost) -> list[Table]:
    creation = _table("Creating a backfill, median seconds", HEADINGS, [_cells(result) for result in results])
    return [creation, _table("State updates of runs without a backfill", COST_HEADINGS, [_cost_cells(cost)])]


def as_json(results: list[Result], cost: GuardCost, where: str) -> str:
    figures = {"environment": where, "results": [asdict(r) for r in results], "guard_cost": asdict(cost)}
    return json.dumps(figures, indent=2) + "\n"


def as_markdown(results: list[Result], cost: GuardCost, where: str) -> str:
    rows = "\n".join("| {} | {} s | {} s | {} s | **{}** | **{}** |".format(*_cells(result)) for result in results)
    return f"""# How fast

`make bench` creates the same backfill three ways in one run, each way in turn:

- **Airflow**: its own `_create_backfill`, timed inside its own process (the start of Python is not counted), on a database
  without pgbackfill, at Airflow's default log level;
- **create_backfill**: one SQL call, from the client's side;
- **bare INSERT**: the very same rows, copied table by table by `insert ... select *` from tables that hold them ready. Nothing is
  computed, so this is what PostgreSQL itself needs for rows, indexes and foreign keys.

Airflow 3.3.2 migrated the database. It holds three years of finished runs of another DAG; a way starts with that history alone,
freshly vacuumed, analyzed and checkpointed. Seconds are medians and depend on the machine and on what else it does, so compare
the ratios: *speedup* is Airflow's time over that of `create_backfill`, *vs bare* that of `create_backfill` over the bare insert's.

| {" | ".join(HEADINGS)} |
|{"---|" * len(HEADINGS)}
{rows}

## What the guard costs a run without a backfill

{cost.updates:,} updates of `dag_run.state` of runs that belong to no backfill, one statement a row by primary key, as Airflow writes
them: with pgbackfill's triggers on `dag_run` and with each of them disabled, on the same rows of the same table in the same run, {BATCH:,}
rows in turn, so that indexes, statistics and whatever else the machine does are the same for both. pgbackfill's index on `dag_run` is
there in both; it is partial and holds none of these rows. Seconds are medians of {cost.repeats} repeats, and the ratio is the median of each
repeat's own. Nothing but the statement is timed: inside Airflow, whose Python takes longer than the statement, the share is smaller.

| {" | ".join(COST_HEADINGS)} |
|{"---|" * len(COST_HEADINGS)}
| {"{} | {} s | {} s | **{}**".format(*_cost_cells(cost))} |

Measured {datetime.now(timezone.utc):%Y-%m-%d}: {where}.

The number of SQL statements inside `create_backfill` does not grow with the slots; `tests/create/test_statement_count.py` counts them.
"""


def _table(title: str, headings: tuple[str, ...], rows: list[tuple[str, ...]]) -> Table:
    shown = Table(title=title)
    for heading in headings:
        shown.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        shown.add_row(*row)
    return shown


def _cost_cells(cost: GuardCost) -> tuple[str, ...]:
    return f"{cost.updates:,}", f"{cost.with_triggers:.2f}", f"{cost.without_triggers:.2f}", f"{cost.ratio:.3f}"


def _cells(result: Result) -> tuple[str, ...]:
    return (
        f"{result.runs} x {result.tasks}",
        f"{result.airflow:.2f}",
        f"{result.create_backfill:.3f}",
        f"{result.bare_insert:.3f}",
        f"{result.times_faster:.0f}",
        f"{result.times_bare_insert:.2f}",
    )
