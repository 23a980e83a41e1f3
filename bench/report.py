"""What the bench has measured, for a terminal, for a machine and for docs/bench.md."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from statistics import median

from rich.table import Table
from support.airflow import AirflowDatabase

from bench.creation import AIRFLOW, Creation
from bench.guard_cost import GuardCost
from bench.timetables import Iteration

ROOT = Path(__file__).resolve().parents[1]
FIGURES = ROOT / "bench" / "figures.json"
DOCS = ROOT / "docs" / "bench.md"

# Which call of Airflow's is compared with which of pgbackfill's and which bare insert.
LATER = ("airflow_later", "create_backfill_later", "bare_insert_later")
FIRST = ("airflow_first", "create_backfill_first", "bare_insert_first")
MIXED = ("airflow_first", "create_backfill_later", "bare_insert_later")


@dataclass(frozen=True)
class Column:
    heading: str
    is_result: bool = False
    """What the table is there for, in bold."""


CREATION = (
    Column("PostgreSQL"),
    Column("runs x tasks"),
    Column("Airflow, s"),
    Column("create_backfill, ms"),
    Column("bare INSERT, ms"),
    Column("Airflow / create_backfill", is_result=True),
    Column("Airflow / bare"),
    Column("create_backfill / bare", is_result=True),
)
COST = (
    Column("PostgreSQL"),
    Column("updates"),
    Column("with triggers, s"),
    Column("without, s"),
    Column("with / without", is_result=True),
)
SLOTS = (
    Column("PostgreSQL"),
    Column("timetable"),
    Column("years"),
    Column("slots"),
    Column("Airflow, s"),
    Column("timetable_infos, s"),
    Column("Airflow / timetable_infos", is_result=True),
    Column("memory, MiB"),
    Column("a year's, MiB"),
    Column("last day, ms"),
)


@dataclass(frozen=True)
class Environment:
    """What the figures of a run depend on, besides PostgreSQL."""

    measured: str
    commit: str
    machine: str
    airflow: str
    python: str

    @classmethod
    def here(cls) -> Environment:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
        git = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
        return cls(
            f"{datetime.now(timezone.utc):%Y-%m-%d}",
            subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip() or "unknown",
            f"{os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()} {platform.machine()}",
            AIRFLOW,
            platform.python_version(),
        )

    def __str__(self) -> str:
        return f"{self.measured}, commit {self.commit}: {self.machine}; Airflow {self.airflow}, Python {self.python}"


@dataclass(frozen=True)
class OfServer:
    """What one PostgreSQL needed."""

    version: str
    build: str
    """What version() says."""
    creations: list[Creation]
    guard_cost: GuardCost
    timetables: list[Iteration]

    @classmethod
    def of(
        cls, database: AirflowDatabase, creations: list[Creation], guard_cost: GuardCost, timetables: list[Iteration]
    ) -> OfServer:
        with database.connect() as conn:
            found = conn.execute("select current_setting('server_version'), version()").fetchone()
        assert found is not None
        return cls(found[0].split()[0], found[1], creations, guard_cost, timetables)


@dataclass(frozen=True)
class Figures:
    """Everything of one run, every sample of it."""

    environment: Environment
    rounds: int
    servers: list[OfServer]

    @classmethod
    def from_json(cls, text: str) -> Figures:
        kept = json.loads(text)
        return cls(
            Environment(**kept["environment"]),
            kept["rounds"],
            [
                OfServer(
                    server["version"],
                    server["build"],
                    [Creation(**creation) for creation in server["creations"]],
                    GuardCost(**server["guard_cost"]),
                    [Iteration(**iteration) for iteration in server["timetables"]],
                )
                for server in kept["servers"]
            ],
        )


def keep(figures: Figures) -> None:
    FIGURES.write_text(as_json(figures), encoding="utf-8")


def render() -> None:
    """Renew docs/bench.md from the figures that are kept."""
    DOCS.write_text(as_markdown(kept_figures()), encoding="utf-8")


def kept_figures() -> Figures:
    return Figures.from_json(FIGURES.read_text(encoding="utf-8"))


def as_json(figures: Figures) -> str:
    return json.dumps(asdict(figures), indent=2) + "\n"


def as_tables(figures: Figures) -> list[Table]:
    return [
        _table("Creating a backfill: later calls of a process or connection", *_creation(figures, LATER)),
        _table("The first calls", *_creation(figures, FIRST)),
        _table("Airflow's first against later ones in SQL", *_creation(figures, MIXED)),
        _table("State updates of runs without a backfill", *_cost(figures)),
        _table("The slots of a timetable", *_slots(figures)),
    ]


def environment_lines(figures: Figures) -> list[str]:
    return [str(figures.environment), *(server.build for server in figures.servers)]


def as_markdown(figures: Figures) -> str:
    cost = figures.servers[0].guard_cost
    summary = "\n".join(f"- {_summary(server)}" for server in figures.servers)
    builds = "\n".join(f"- {server.build}" for server in figures.servers)
    return f"""# How fast

## Creating a backfill

In short, runs x tasks, medians of later calls (see below):

{summary}

`make bench` creates the same backfill three ways, each as a first and as a later call:

- **Airflow**: its own `_create_backfill`, timed inside its process (the start of Python and its imports are not counted), on a database
  without pgbackfill, at Airflow's default log level;
- **create_backfill**: one SQL call, timed from the client's side, on a database with pgbackfill;
- **bare INSERT**: the very same rows, copied table by table in one statement by `insert ... select *` from tables that hold them ready, on
  the database without pgbackfill. Nothing is computed and no trigger but the foreign keys' runs, so this is what PostgreSQL itself needs.

Airflow {figures.environment.airflow} migrated the databases. Each holds three years of finished runs of another DAG; every call starts with that history
alone, its tables freshly vacuumed, analyzed and checkpointed, in a new process or on a new connection. In each of {figures.rounds} rounds each of
these six takes its turn once on every PostgreSQL, and every round begins with another one. Shown are medians, and in parentheses the least and
the greatest. *Airflow / create_backfill* is how many times longer Airflow takes; ratios are taken in each round, of what was measured in that
round: seconds depend on the machine and on what else it does, so compare ratios.

### Later calls

Like with like, calls that are not the first of their process or connection, as in Airflow's API server and in a service: Airflow's comes
after a backfill of one day of another DAG in the same process, SQL's after the same (the bare insert's: after one run) on the same
connection, rolled back:

{_markdown(*_creation(figures, LATER))}

*Airflow / bare* is about the most that SQL could reach which writes these rows into these tables (a *create_backfill / bare* below 1 comes from
one slow bare insert).

### First calls

Like with like again, the first call of a process or of a connection, which also connects, loads, compiles and plans what later ones find ready:

{_markdown(*_creation(figures, FIRST))}

### Airflow's first call beside later ones in SQL

The same samples, paired differently: not like with like, but as they often meet: the first call of an Airflow's process, as a script or `airflow backfill create` makes it (the
command itself has connected before), beside later ones of a service's connection:

{_markdown(*_creation(figures, MIXED))}

The number of SQL statements inside `create_backfill` does not grow with the slots; `tests/create/test_statement_count.py` counts them.

## What the triggers cost a state update of a run without a backfill

{cost.updates:,} updates of `dag_run.state` of runs that belong to no backfill, one statement a row by primary key, as Airflow writes
them: with pgbackfill's triggers on `dag_run` and with each of them disabled, on the same rows of the same table in the same run, {cost.batch:,}
rows in turn, so that indexes, statistics and whatever else the machine does are the same for both. Timed from the client, the way there and
back included. pgbackfill's index on `dag_run` is there in both; it is partial and holds none of these rows. Inside Airflow, whose Python takes
longer than the statement, the share is smaller. One sample a round:

{_markdown(*_cost(figures))}

## The slots of a timetable

`timetable_infos` and Airflow's own `iter_dagrun_infos_between` go through the same window of the same timetable: `*/5 * * * *`
(or five minutes) in Europe/Berlin. Airflow's is timed once (a single sample) for all PostgreSQLs, as it asks none, inside its process, and keeps nothing; SQL's from the client's side, until the
last row has arrived, where rows are counted and not parsed, {figures.rounds} times after it. *memory* is the most that the server process had, its
program with it and shared buffers without, beside it the same for one year of the schedule, as it grows with the range if something is kept;
*last day* is the time for the last day of those years alone.

{_markdown(*_slots(figures))}

`tests/timetable/test_window_cost.py` reads off the plans of the cron timetables that a window costs the same wherever in a schedule it lies.

## Where

{figures.environment}. PostgreSQL with the settings that `initdb` leaves (fsync is on, and every call's commit is in its time), locale
C.UTF-8, over its Unix socket:

{builds}

Compare within a row: these builds differ in more than the version. `bench/figures.json` keeps every sample. `make bench` measures on the
PostgreSQL that `PGBACKFILL_PG_BIN` names, or else on the embedded one; `make bench ARGS="--rounds 9 --postgresql FOLDER --write-docs"` also on
another one, whose programs are in `FOLDER`, and renews this page.
"""


def _summary(server: OfServer) -> str:
    """Of later calls."""
    airflow, create_backfill, bare_insert = LATER

    def times(creation: Creation, slower: str, faster: str) -> float:
        return median(ratios(creation.seconds[slower], creation.seconds[faster]))

    speedups = ", ".join(
        f"{times(creation, airflow, create_backfill):.0f} times ({creation.runs} x {creation.tasks})"
        for creation in server.creations
    )
    overheads = ", ".join(f"{times(creation, create_backfill, bare_insert):.2f}" for creation in server.creations)
    bounds = ", ".join(f"{times(creation, airflow, bare_insert):.0f}" for creation in server.creations)
    return (
        f"PostgreSQL {server.version}: Airflow takes {speedups} as long as `create_backfill`, and {bounds} times as long as bare"
        f" inserts of the same rows; `create_backfill` takes {overheads} times as long as those."
    )


def _creation(figures: Figures, ways: tuple[str, str, str]) -> tuple[Sequence[Column], list[tuple[str, ...]]]:
    rows: list[tuple[str, ...]] = []
    for server in figures.servers:
        for creation in server.creations:
            airflow, create_backfill, bare_insert = (creation.seconds[way] for way in ways)
            rows.append(
                (
                    server.version,
                    f"{creation.runs} x {creation.tasks}",
                    spread(airflow, ".2f"),
                    spread(_thousandfold(create_backfill), ".0f"),
                    spread(_thousandfold(bare_insert), ".0f"),
                    spread(ratios(airflow, create_backfill), ".1f"),
                    spread(ratios(airflow, bare_insert), ".1f"),
                    spread(ratios(create_backfill, bare_insert), ".2f"),
                )
            )
    return CREATION, rows


def _cost(figures: Figures) -> tuple[Sequence[Column], list[tuple[str, ...]]]:
    def row(version: str, cost: GuardCost) -> tuple[str, ...]:
        return (
            version,
            f"{cost.updates:,}",
            spread(cost.with_triggers, ".2f"),
            spread(cost.without_triggers, ".2f"),
            spread(ratios(cost.with_triggers, cost.without_triggers), ".3f"),
        )

    return COST, [row(server.version, server.guard_cost) for server in figures.servers]


def _slots(figures: Figures) -> tuple[Sequence[Column], list[tuple[str, ...]]]:
    def mebibytes(amount: float | None) -> str:
        return "-" if amount is None else f"{amount:.0f}"

    def row(version: str, iteration: Iteration) -> tuple[str, ...]:
        return (
            version,
            iteration.name,
            str(iteration.years),
            f"{iteration.slots:,}",
            f"{iteration.airflow:.1f}",
            spread(iteration.timetable_infos, ".2f"),
            f"{iteration.airflow / median(iteration.timetable_infos):.0f}",
            mebibytes(iteration.mebibytes),
            mebibytes(iteration.mebibytes_of_a_year),
            spread(_thousandfold(iteration.last_day), ".1f"),
        )

    return SLOTS, [row(server.version, iteration) for server in figures.servers for iteration in server.timetables]


def ratios(some: Sequence[float], others: Sequence[float]) -> list[float]:
    """Of each round: what else the machine does falls on both."""
    return [a / b for a, b in zip(some, others, strict=True)]


def _thousandfold(values: Sequence[float]) -> list[float]:
    return [value * 1000 for value in values]


def spread(values: Sequence[float], form: str) -> str:
    """The median, and between which values all of them lie."""
    return f"{median(values):{form}} ({min(values):{form}}-{max(values):{form}})"


def _table(title: str, columns: Sequence[Column], rows: list[tuple[str, ...]]) -> Table:
    shown = Table(title=title)
    for column in columns:
        shown.add_column(column.heading, justify="right")
    for row in rows:
        shown.add_row(*row)
    return shown


def _markdown(columns: Sequence[Column], rows: list[tuple[str, ...]]) -> str:
    lines = [[column.heading for column in columns], ["---"] * len(columns)]
    for row in rows:
        lines.append([f"**{cell}**" if column.is_result else cell for column, cell in zip(columns, row, strict=True)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
