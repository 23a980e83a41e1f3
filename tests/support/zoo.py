"""The DAGs of the zoo, each in every cell, backfilled by Airflow's own code and by SQL on two copies of one database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

import psycopg
from pgbackfill import migrate
from psycopg import Connection
from psycopg.types.json import Jsonb

from support.airflow import DAGS, AirflowDatabase
from support.cells import Cell, cells
from support.rows import Before, Difference, Reader, differences, written_since

# Of these there are no runs before: one must not have any, one must not have been backfilled, and one Airflow cannot clear.
WITHOUT_RUNS = ("executor_config_never_written", "backfills_not_allowed", "deadlines")
LEFT_TO_AIRFLOW = ("PB013", "PB014")
"""What SQL may refuse though Airflow does it. Whatever else it refuses, Airflow has to refuse, too."""

_PATH = DAGS / "zoo"
_BUNDLE = f"""{{"name": "zoo", "classpath": "airflow.dag_processing.bundles.local.LocalDagBundle", "kwargs": {{"path": "{_PATH}"}}}}"""
_VERSIONED_BUNDLE = (
    f"""{{"name": "versioned_zoo", "classpath": "zoo_plugin.VersionedBundle", "kwargs": {{"path": "{_PATH}"}}}}"""
)
CONFIG = {
    "core__plugins_folder": str(DAGS / "zoo_plugins"),
    "dag_processor__dag_bundle_config_list": f"[{_BUNDLE}, {_VERSIONED_BUNDLE}]",
    "zoo__bundle_version": "",
}
CONFIG_AT_WORK = {**CONFIG, "dag_processor__dag_bundle_config_list": f"[{_BUNDLE}]"}
"""For a DAG processor: it would find every DAG in both bundles, and write a new version each time that it changed bundle."""

PLAN_ARGUMENTS = {"dag_id", "from_date", "to_date", "run_backwards", "reprocess_behavior", "dag_run_conf", "infos"}
PLAN = """
select sort_ordinal, coalesce(logical_date::text, partition_key), action, exception_reason, run_id
from pgbackfill.plan_backfill({})
order by 1
"""
DONE = """
select
  s.sort_ordinal,
  coalesce(s.logical_date::text, to_jsonb(s) ->> 'partition_key'),
  case when s.dag_run_id is null then 'skip' when s.dag_run_id <= %(last)s then 'clear' else 'create' end,
  s.exception_reason,
  r.run_id
from backfill b
join backfill_dag_run s on s.backfill_id = b.id
left join dag_run r on r.id = s.dag_run_id
where b.dag_id = %(dag_id)s and b.completed_at is null
order by 1
"""


@dataclass(frozen=True)
class Request:
    """A backfill of one DAG of the zoo."""

    shape: str
    cell: Cell
    dag_id: str
    from_date: str
    to_date: str
    infos: Sequence[Mapping[str, Any]]
    """The slots, as Airflow computes them."""

    @property
    def arguments(self) -> dict[str, Any]:
        dates = {"from_date": self.from_date, "to_date": self.to_date}
        return {"dag_id": self.dag_id, **dates, "max_active_runs": 3, **self.cell.arguments}


@dataclass(frozen=True)
class Outcome:
    """What came of a request in SQL: a number of slots for each action, or why it was refused."""

    request: Request
    sqlstate: str | None = None
    reason: str = ""
    planned: Sequence[tuple[Any, ...]] = ()
    refused_plan: str | None = None
    """The SQLSTATE with which the dry run refused."""
    with_infos: bool = False
    """Whether SQL had to be told the slots."""
    airflows_refusal: str | None = None

    @property
    def actions(self) -> Counter[str]:
        return Counter(action for _, _, action, *_ in self.planned)


@dataclass(frozen=True)
class Matrix:
    """What came of all requests on one release."""

    outcomes: Sequence[Outcome]
    differences: Sequence[Difference]
    plans_not_followed: Sequence[str]
    before: Before
    rows_written: int


def seed(database: AirflowDatabase) -> list[Request]:
    """Make the zoo and what its backfills find, in the order of time: first versions, their runs, second versions, their runs."""
    every_cell = cells()
    windows: dict[str, dict[str, Any]] = {}
    changed = [number for number, cell in enumerate(every_cell) if cell.versions == 2]
    for versions in ((), changed):
        serialize(database, len(every_cell), versions)
        with database.connect() as conn:
            dag_ids = [
                dag_id for (dag_id,) in conn.execute("select dag_id from dag where dag_id ~ '__\\d\\d$' order by 1")
            ]
        wanted = [{"dag_id": i, "priors": priors_of(i, every_cell), "only_latest": bool(versions)} for i in dag_ids]
        windows = {window.pop("dag_id"): window for part in in_two(database, "seed_zoo.py", wanted) for window in part}
    return [
        Request(dag_id.rpartition("__")[0], every_cell[int(dag_id[-2:])], dag_id, **window)
        for dag_id, window in windows.items()
    ]


def priors_of(dag_id: str, every_cell: Sequence[Cell]) -> list[str]:
    """What there is to be for the slots of a DAG."""
    shape, _, number = dag_id.rpartition("__")
    priors = every_cell[int(number)].priors
    return ["empty"] * len(priors) if shape in WITHOUT_RUNS else list(priors)


def serialize(database: AirflowDatabase, copies: int, changed: Sequence[int]) -> None:
    """Have Airflow serialize the zoo, of which the copies in `changed` are of the second version."""
    database = replace(
        database,
        config={**database.config, "zoo__cells": str(copies), "zoo__changed": ",".join(map(str, changed))},
    )
    database.command("dags", "reserialize", "--bundle-name", "zoo")
    versioned = replace(database, config={**database.config, "zoo__bundle_version": "2" if changed else "1"})
    versioned.command("dags", "reserialize", "--bundle-name", "versioned_zoo")


def run_matrix(requests: Sequence[Request], theirs: AirflowDatabase, ours: AirflowDatabase) -> Matrix:
    """Create every backfill on both copies and compare them; then see what Airflow says to those that SQL refused."""
    migrate.upgrade(ours.dsn)
    with ours.connect() as conn:
        before = Before.of(conn)
        outcomes = [create(conn, request) for request in requests]
        not_followed = [fault for outcome in outcomes for fault in departures(conn, outcome, before)]
    create_by_airflow(theirs, [outcome.request for outcome in outcomes if outcome.sqlstate is None])
    with theirs.connect() as left, ours.connect() as right:
        their_rows = Reader(left, before, written_by_airflow=True).rows()
        our_rows = Reader(right, before, written_by_airflow=False).rows()
        written = sum(len(ctids) for ctids in written_since(right, before).values())
    return Matrix(
        outcomes=refused_by_airflow(theirs, outcomes),
        differences=differences(their_rows, our_rows),
        plans_not_followed=not_followed,
        before=before,
        rows_written=written,
    )


def create(conn: Connection[Any], request: Request) -> Outcome:
    """Plan and create a backfill in SQL; its slots are given only where SQL asks for them."""
    outcome = _create(conn, request, {})
    if outcome.sqlstate == "PB013":
        return replace(_create(conn, request, {"infos": Jsonb(request.infos)}), with_infos=True)
    return outcome


def _create(conn: Connection[Any], request: Request, more: Mapping[str, Any]) -> Outcome:
    arguments = {**request.arguments, **more}
    if arguments["dag_run_conf"] is not None:
        arguments["dag_run_conf"] = Jsonb(arguments["dag_run_conf"])
    plan_arguments = {name: arguments[name] for name in arguments if name in PLAN_ARGUMENTS}
    planned: Sequence[tuple[Any, ...]] = ()
    refused_plan = None
    try:
        planned = call(conn, PLAN, plan_arguments)
    except psycopg.Error as error:
        refused_plan = error.sqlstate
    try:
        call(conn, "select from pgbackfill.create_backfill({})", arguments)
    except psycopg.Error as error:
        return Outcome(request, error.sqlstate, error.diag.message_primary or "", planned, refused_plan)
    return Outcome(request, planned=planned, refused_plan=refused_plan)


def call(conn: Connection[Any], query: str, arguments: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Call a function with its arguments by name."""
    named = ", ".join(f"{name} => %({name})s" for name in arguments)
    return conn.execute(query.format(named), arguments).fetchall()


def departures(conn: Connection[Any], outcome: Outcome, before: Before) -> Iterator[str]:
    """Where a creation did not do what its plan had said."""
    # No cell asks for no slots, which a plan does not refuse.
    if outcome.refused_plan != outcome.sqlstate:
        yield f"{outcome.request.dag_id}: planned {outcome.refused_plan}, refused {outcome.sqlstate}"
    elif outcome.sqlstate is None:
        done = conn.execute(DONE, {"dag_id": outcome.request.dag_id, "last": before.last_ids["dag_run"]}).fetchall()
        for planned, slot in zip_longest(outcome.planned, done):
            # A plan tells the run_id of the run that is in the way, and not the random one of a partition's new run.
            if (
                planned is None
                or slot is None
                or planned[:-1] != slot[:-1]
                or slot[-1] not in (None, planned[-1] or slot[-1])
            ):
                yield f"{outcome.request.dag_id}: planned {planned}, done {slot}"


def create_by_airflow(database: AirflowDatabase, requests: Sequence[Request]) -> None:
    """Create backfills by Airflow's own code, which must refuse none."""
    answers = [
        answer for part in in_two(database, "create_each.py", [r.arguments for r in requests]) for answer in part
    ]
    refused = [f"{r.dag_id}: {a}" for r, a in zip(requests, answers, strict=True) if "error" in a]
    assert not refused, "\n".join(refused)


def in_two(database: AirflowDatabase, script: str, requests: Sequence[Any]) -> list[Any]:
    """The answers of a script to the first and to the second half of the requests, asked side by side."""
    middle = len(requests) // 2
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda half: database.script(script, half), (requests[:middle], requests[middle:])))


def refused_by_airflow(database: AirflowDatabase, outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The outcomes, with what Airflow says to those that SQL did not leave to it."""
    asked = [o for o in outcomes if o.sqlstate is not None and o.sqlstate not in LEFT_TO_AIRFLOW]
    answers = database.script("create_each.py", [outcome.request.arguments for outcome in asked])
    refusals = {o.request.dag_id: a.get("error") for o, a in zip(asked, answers, strict=True)}
    return [replace(outcome, airflows_refusal=refusals.get(outcome.request.dag_id)) for outcome in outcomes]
