"""What the bench has measured, for a terminal, for a machine and for docs/bench.md."""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from psycopg import Connection
from rich.table import Table

from bench.creation import Result
from bench.guard_cost import BATCH, GuardCost
from bench.timetables import Iteration

FIGURES = Path(__file__).parent / "figures"
DOCS = Path(__file__).resolve().parents[1] / "docs" / "bench.md"

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
class Environment:
    """What the figures of a run depend on."""

    measured: str
    machine: str
    postgresql: str
    python: str

    @classmethod
    def of(cls, conn: Connection[Any]) -> Environment:
        version = conn.execute("show server_version").fetchone()
        assert version is not None
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
        return cls(
            f"{datetime.now(timezone.utc):%Y-%m-%d}",
            f"{os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()} {platform.machine()}",
            version[0].split()[0],
            platform.python_version(),
        )

    @property
    def major(self) -> int:
        found = re.match(r"\d+", self.postgresql)
        assert found is not None
        return int(found[0])

    def __str__(self) -> str:
        return f"{self.machine}; PostgreSQL {self.postgresql} with its defaults, Airflow 3.3.2, Python {self.python}"


@dataclass(frozen=True)
class Figures:
    """Everything of one run."""

    environment: Environment
    results: list[Result]
    guard_cost: GuardCost
    timetables: list[Iteration]

    @classmethod
    def from_json(cls, text: str) -> Figures:
        kept = json.loads(text)
        return cls(
            Environment(**kept["environment"]),
            [Result(**result) for result in kept["results"]],
            GuardCost(**kept["guard_cost"]),
            [Iteration(**iteration) for iteration in kept["timetables"]],
        )


def write_docs(figures: Figures) -> None:
    """Keep the figures beside those of other major versions of PostgreSQL, and renew docs/bench.md from all of them."""
    FIGURES.mkdir(exist_ok=True)
    (FIGURES / f"postgresql-{figures.environment.major}.json").write_text(as_json(figures), encoding="utf-8")
    DOCS.write_text(as_markdown(kept_figures()), encoding="utf-8")


def kept_figures() -> list[Figures]:
    """The last figures of each major version of PostgreSQL."""
    kept = (Figures.from_json(file.read_text(encoding="utf-8")) for file in FIGURES.glob("postgresql-*.json"))
    return sorted(kept, key=lambda figures: figures.environment.major)


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


def as_markdown(runs: Sequence[Figures]) -> str:
    cost = runs[0].guard_cost

    def creation(ways: tuple[str, str, str]) -> str:
        return _markdown(
            HEADINGS, runs, lambda run: [_cells(result, ways) for result in run.results], bold=("speedup", "vs bare")
        )

    costs = _markdown(COST_HEADINGS, runs, lambda run: [_cost_cells(run.guard_cost)], bold=("ratio",))
    slots = _markdown(SLOTS_HEADINGS, runs, lambda run: [_slots_cells(i) for i in run.timetables], bold=("speedup",))
    measured = "\n".join(f"- {run.environment.measured}: {run.environment}" for run in runs)
    return f"""# How fast

`make bench` creates the same backfill three ways in one run, each way in turn:

- **Airflow**: its own `_create_backfill`, the first call of a process, as `airflow backfill create` makes it. It is timed inside that
  process (the start of Python is not counted), on a database without pgbackfill, at Airflow's default log level;
- **create_backfill**: one SQL call on a connection that has made one before, as a service's has, from the client's side;
- **bare INSERT**: the very same rows, copied table by table by `insert ... select *` from tables that hold them ready. Nothing is
  computed, so this is what PostgreSQL itself needs for rows, indexes, foreign keys and pgbackfill's triggers.

Airflow 3.3.2 migrated the database. It holds three years of finished runs of another DAG; a way starts with that history alone, its
tables freshly vacuumed, analyzed and checkpointed, and then warmed up by one day of another DAG where it is to be warm. Seconds are
medians (SQL's of more repeats than Airflow's) and depend on the machine and on what else it does, so compare the ratios: *speedup* is Airflow's time over that of `create_backfill`,
*of the bare* is Airflow's time over the bare insert's, and *vs bare* the time of `create_backfill` over the bare insert's.

{creation(IN_USE)}

The release notes of PostgreSQL 19 name quicker checks of foreign keys; here both ways in SQL took less time on it than on 18.

The first call of a process or connection also loads, compiles and plans what later ones find ready. Like with like, both the first:

{creation(BOTH_FIRST)}

And both later ones, Airflow's after a backfill of one day of another DAG in the same process, as in its API server; pgbackfill's on a
connection that has made several, this one among them. Connecting is in Airflow's first call and not in those of SQL, and the bare insert is
four statements in a transaction where `create_backfill` is one:

{creation(BOTH_LATER)}

## What the guard costs a run without a backfill

{cost.updates:,} updates of `dag_run.state` of runs that belong to no backfill, one statement a row by primary key, as Airflow writes
them: with pgbackfill's triggers on `dag_run` and with each of them disabled, on the same rows of the same table in the same run, {BATCH:,}
rows in turn, so that indexes, statistics and whatever else the machine does are the same for both. pgbackfill's index on `dag_run` is
there in both; it is partial and holds none of these rows. Seconds are medians of {cost.repeats} repeats, and the ratio is the median of each
repeat's own. Nothing but the statement is timed: inside Airflow, whose Python takes longer than the statement, the share is smaller.

{costs}

## The slots of a timetable

`timetable_infos` and Airflow's own `iter_dagrun_infos_between` go through the same window of the same timetable in one run: `*/5 * * * *`
(or five minutes) in Europe/Berlin. Airflow's is timed inside its process and keeps nothing; SQL's from the client's side, until the last row
has arrived; Airflow's once, SQL's as medians. *memory* is the most that the server process had of its own, beside it the same for one year of the schedule, as it grows with
the range if something is kept; *last day* is the time for the last day of those years alone.

{slots}

`tests/timetable/test_window_cost.py` reads off the plans that a window costs the same wherever in a schedule it lies.

The number of SQL statements inside `create_backfill` does not grow with the slots; `tests/create/test_statement_count.py` counts them.

## Where

Each version of PostgreSQL in a run of its own, on whichever build was at hand: compare neither seconds nor speedups of two versions. Airflow's
seconds differ much from run to run, also on one version (17.5 s and 19.9 s for 1825 x 10 on 18.6, with speedups of 36 and 41), so a speedup
is that of its run and not a constant:

{measured}

`PGBACKFILL_PG_BIN` names the programs of another PostgreSQL than the embedded one: `PGBACKFILL_PG_BIN=/usr/lib/postgresql/19/bin make bench`.
"""


def _table(title: str, headings: tuple[str, ...], rows: list[tuple[str, ...]]) -> Table:
    shown = Table(title=title)
    for heading in headings:
        shown.add_column(heading, justify="right")
    for row in rows:
        shown.add_row(*row)
    return shown


def _cost_cells(cost: GuardCost) -> tuple[str, ...]:
    return f"{cost.updates:,}", f"{cost.with_triggers:.2f} s", f"{cost.without_triggers:.2f} s", f"{cost.ratio:.3f}"


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


def _markdown(
    headings: tuple[str, ...],
    runs: Sequence[Figures],
    rows: Callable[[Figures], list[tuple[str, ...]]],
    bold: tuple[str, ...],
) -> str:
    """A table of all runs, in which a first column tells the version of PostgreSQL."""
    lines = [("PostgreSQL", *headings), ("---",) * (len(headings) + 1)]
    for run in runs:
        for row in rows(run):
            cells = (f"**{cell}**" if heading in bold else cell for heading, cell in zip(headings, row, strict=True))
            lines.append((run.environment.postgresql, *cells))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cells(result: Result, ways: tuple[str, str, str]) -> tuple[str, ...]:
    airflow, create_backfill, bare_insert = (float(getattr(result, way)) for way in ways)
    return (
        f"{result.runs} x {result.tasks}",
        f"{airflow:.2f} s",
        f"{create_backfill:.3f} s",
        f"{bare_insert:.3f} s",
        f"{airflow / create_backfill:.0f}",
        f"{airflow / bare_insert:.0f}",
        f"{create_backfill / bare_insert:.2f}",
    )
