"""What the bench has measured, for a terminal, for a machine and for docs/bench.md."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from typing import Any

from psycopg import Connection
from rich.table import Table

from bench.creation import Result
from bench.guard_cost import BATCH, GuardCost
from bench.timetables import Iteration

HEADINGS = ("runs x tasks", "Airflow", "create_backfill", "bare INSERT", "speedup", "of the bare", "vs bare")
# Which call of Airflow's is compared with which of pgbackfill's and which bare insert.
IN_USE = ("airflow_first", "create_backfill", "bare_insert")
BOTH_FIRST = ("airflow_first", "create_backfill_first", "bare_insert_first")
BOTH_LATER = ("airflow_warm", "create_backfill", "bare_insert")
COST_HEADINGS = ("updates", "with triggers", "without", "ratio")
SLOTS_HEADINGS = (
    "timetable",
    "years",
    "slots",
    "Airflow",
    "timetable_infos",
    "speedup",
    "memory",
    "a year's",
    "last day",
)


@dataclass(frozen=True)
class Figures:
    """Everything of one run."""

    environment: str
    results: list[Result]
    guard_cost: GuardCost
    timetables: list[Iteration]


def environment(conn: Connection[Any]) -> str:
    """The machine and the versions, in one line."""
    version = conn.execute("show server_version").fetchone()
    assert version is not None
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()} {platform.machine()}; "
        f"PostgreSQL {version[0].split()[0]} with its defaults, Airflow 3.3.2, Python {platform.python_version()}"
    )


def as_tables(figures: Figures) -> list[Table]:
    return [
        _creation("Creating a backfill: Airflow in a process of its own, pgbackfill on a connection", figures, IN_USE),
        _creation("Both the first of their process or connection", figures, BOTH_FIRST),
        _creation("Both later ones", figures, BOTH_LATER),
        _table("State updates of runs without a backfill", COST_HEADINGS, [_cost_cells(figures.guard_cost)]),
        _table("The slots of a timetable", SLOTS_HEADINGS, [_slots_cells(i) for i in figures.timetables]),
    ]


def as_json(figures: Figures) -> str:
    return json.dumps(asdict(figures), indent=2) + "\n"


def as_markdown(figures: Figures) -> str:
    cost = figures.guard_cost
    in_use, both_first, both_later = (_creation_rows(figures, ways) for ways in (IN_USE, BOTH_FIRST, BOTH_LATER))
    headings = f"| {' | '.join(HEADINGS)} |\n|{'---|' * len(HEADINGS)}"
    slots = "\n".join(
        "| {} | {} | {} | {} | {} | **{}** | {} | {} | {} |".format(*_slots_cells(i)) for i in figures.timetables
    )
    return f"""# How fast

`make bench` creates the same backfill three ways in one run, each way in turn:

- **Airflow**: its own `_create_backfill`, the first call of a process, as `airflow backfill create` makes it. It is timed inside that
  process (the start of Python is not counted), on a database without pgbackfill, at Airflow's default log level;
- **create_backfill**: one SQL call on a connection that has made one before, as a service's has, from the client's side;
- **bare INSERT**: the very same rows, copied table by table by `insert ... select *` from tables that hold them ready. Nothing is
  computed, so this is what PostgreSQL itself needs for rows, indexes, foreign keys and pgbackfill's triggers.

Airflow 3.3.2 migrated the database. It holds three years of finished runs of another DAG; a way starts with that history alone, its
tables freshly vacuumed, analyzed and checkpointed, and then warmed up by one day of another DAG where it is to be warm. Seconds are
medians and depend on the machine and on what else it does, so compare the ratios: *speedup* is Airflow's time over that of `create_backfill`,
*of the bare* is Airflow's time over the bare insert's, and *vs bare* the time of `create_backfill` over the bare insert's.

{headings}
{in_use}

The first call of a process or connection also loads, compiles and plans what later ones find ready. Like with like, both the first:

{headings}
{both_first}

And both later ones, Airflow's after a backfill of one day of another DAG in the same process, as in its API server:

{headings}
{both_later}

## What the guard costs a run without a backfill

{cost.updates:,} updates of `dag_run.state` of runs that belong to no backfill, one statement a row by primary key, as Airflow writes
them: with pgbackfill's triggers on `dag_run` and with each of them disabled, on the same rows of the same table in the same run, {BATCH:,}
rows in turn, so that indexes, statistics and whatever else the machine does are the same for both. pgbackfill's index on `dag_run` is
there in both; it is partial and holds none of these rows. Seconds are medians of {cost.repeats} repeats, and the ratio is the median of each
repeat's own. Nothing but the statement is timed: inside Airflow, whose Python takes longer than the statement, the share is smaller.

| {" | ".join(COST_HEADINGS)} |
|{"---|" * len(COST_HEADINGS)}
| {"{} | {} s | {} s | **{}**".format(*_cost_cells(cost))} |

## The slots of a timetable

`timetable_infos` and Airflow's own `iter_dagrun_infos_between` go through the same window of the same timetable in one run: `*/5 * * * *`
(or five minutes) in Europe/Berlin. Airflow's is timed inside its process and keeps nothing; SQL's from the client's side, until the last row
has arrived. *memory* is the most that the server process had of its own, beside it the same for one year of the schedule, as it grows with
the range if something is kept; *last day* is the time for the last day of those years alone.

| {" | ".join(SLOTS_HEADINGS)} |
|{"---|" * len(SLOTS_HEADINGS)}
{slots}

`tests/timetable/test_window_cost.py` reads off the plans that a window costs the same wherever in a schedule it lies.

Measured {datetime.now(timezone.utc):%Y-%m-%d}: {figures.environment}.

The number of SQL statements inside `create_backfill` does not grow with the slots; `tests/create/test_statement_count.py` counts them.
"""


def _table(title: str, headings: tuple[str, ...], rows: list[tuple[str, ...]]) -> Table:
    shown = Table(title=title)
    for heading in headings:
        shown.add_column(heading, justify="right")
    for row in rows:
        shown.add_row(*row)
    return shown


def _cost_cells(cost: GuardCost) -> tuple[str, ...]:
    return f"{cost.updates:,}", f"{cost.with_triggers:.2f}", f"{cost.without_triggers:.2f}", f"{cost.ratio:.3f}"


def _slots_cells(iteration: Iteration) -> tuple[str, ...]:
    def mebibytes(amount: float | None) -> str:
        return "-" if amount is None else f"{amount:.0f} MiB"

    return (
        iteration.name,
        str(iteration.years),
        f"{iteration.slots:,}",
        f"{iteration.airflow:.1f} s",
        f"{iteration.timetable_infos:.2f} s",
        f"{iteration.times_faster:.0f}",
        mebibytes(iteration.mebibytes),
        mebibytes(iteration.mebibytes_of_a_year),
        f"{iteration.last_day * 1000:.1f} ms",
    )


def _creation(title: str, figures: Figures, ways: tuple[str, str, str]) -> Table:
    return _table(title, HEADINGS, [_cells(result, ways) for result in figures.results])


def _creation_rows(figures: Figures, ways: tuple[str, str, str]) -> str:
    return "\n".join(
        "| {} | {} s | {} s | {} s | **{}** | {} | **{}** |".format(*_cells(result, ways)) for result in figures.results
    )


def _cells(result: Result, ways: tuple[str, str, str]) -> tuple[str, ...]:
    airflow, create_backfill, bare_insert = (float(getattr(result, way)) for way in ways)
    return (
        f"{result.runs} x {result.tasks}",
        f"{airflow:.2f}",
        f"{create_backfill:.3f}",
        f"{bare_insert:.3f}",
        f"{airflow / create_backfill:.0f}",
        f"{airflow / bare_insert:.0f}",
        f"{create_backfill / bare_insert:.2f}",
    )
