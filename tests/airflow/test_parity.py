"""What create_backfill writes is, row for row, what Airflow's own `_create_backfill` writes: every shape of the zoo, in every cell."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from psycopg import Connection
from support.airflow import RELEASES, Airflow, AirflowDatabase, install
from support.cells import OPTIONS, PRIORS, cells
from support.databases import dsn_of
from support.mutations import mutations
from support.parity_page import page
from support.rows import Catalog, Reader, differences
from support.zoo import CONFIG, LEFT_TO_AIRFLOW, Matrix, run_matrix, seed

PAGE = Path(__file__).resolve().parents[2] / "docs" / "parity.md"
REWRITE_VARIABLE = "PGBACKFILL_REWRITE_PARITY"

# What Airflow says where SQL refuses with these codes, too.
REFUSALS = {
    "PB003": {"DagNonPeriodicScheduleException", "DagNoScheduleException", "RuntimeError"},  # 3.2: "No runs to create"
    "PB004": {"DagRunTypeNotAllowed"},
    "PB005": {"InvalidBackfillDirection"},
    "PB006": {"InvalidReprocessBehavior"},
}
# Until 3.2 Airflow makes a backfill of @once, which has one run, and until 3.1 one of assets, which has none (#66874).
ACCEPTED_BEFORE_33 = {("once", "PB003"), ("scheduled_by_assets", "PB003")}
# Of these every kind of row: created and cleared, mapped, with a history of what people were asked.
MUTATED_SHAPES = ("mapped_output", "asks_people", "retries")

each_release = pytest.mark.parametrize("release", list(RELEASES))
pytestmark = pytest.mark.timeout(900)


@dataclass(frozen=True)
class Compared:
    """A release whose matrix was run, and the two databases that it left."""

    matrix: Matrix
    theirs: AirflowDatabase
    ours: AirflowDatabase


@pytest.fixture(scope="module")
def compared(
    admin: Connection[Any],
    make_database: Callable[[str], AbstractContextManager[str]],
    airflow_template: Callable[[Airflow], str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Callable[[str], Compared]]:
    """Runs the matrix of a release when it is first asked for."""
    with ExitStack() as made:

        @cache
        def compare(release: str) -> Compared:
            airflow = install(release)

            def copy(of: str) -> tuple[str, AirflowDatabase]:
                name = made.enter_context(make_database(of))
                home = tmp_path_factory.mktemp("airflow_home")
                return name, AirflowDatabase(airflow, dsn_of(admin, name), home, CONFIG)

            name, seeded = copy(airflow_template(airflow))
            requests = seed(seeded)
            (_, theirs), (_, ours) = copy(name), copy(name)
            return Compared(run_matrix(requests, theirs, ours), theirs, ours)

        yield compare


@each_release
def test_no_difference(compared: Callable[[str], Compared], release: str) -> None:
    assert "\n".join(map(str, compared(release).matrix.differences)) == ""


@each_release
def test_a_dry_run_lists_what_creation_does(compared: Callable[[str], Compared], release: str) -> None:
    matrix = compared(release).matrix
    assert matrix.plans_not_followed == []
    assert {action for outcome in matrix.outcomes for action in outcome.actions} == {"create", "clear", "skip"}


@each_release
def test_airflow_refuses_what_sql_refuses(compared: Callable[[str], Compared], release: str) -> None:
    """But for what SQL leaves to Airflow by name."""
    for outcome in compared(release).matrix.outcomes:
        refused_alike = outcome.airflows_refusal in REFUSALS.get(outcome.sqlstate or "", ())
        accepted_by_airflow = release < "3.3" and (outcome.request.shape, outcome.sqlstate) in ACCEPTED_BEFORE_33
        assert (
            outcome.sqlstate is None
            or outcome.sqlstate in LEFT_TO_AIRFLOW
            or refused_alike
            or (accepted_by_airflow and outcome.airflows_refusal is None)
        ), outcome


@each_release
def test_any_other_value_is_found(compared: Callable[[str], Compared], release: str) -> None:
    """Each column that a creation writes, changed in a single row, makes the comparison fail."""
    world = compared(release)
    before = world.matrix.before
    dag_ids = [
        o.request.dag_id
        for o in world.matrix.outcomes
        if o.request.shape in MUTATED_SHAPES and o.sqlstate is None and o.actions.keys() >= {"create", "clear"}
    ]
    with world.theirs.connect() as left, world.ours.connect() as right:
        catalog = Catalog(right)
        candidates = list(mutations(right, before, dag_ids))
        tables = {mutation.table for mutation in candidates}
        theirs = Reader(left, before, written_by_airflow=True, dag_ids=dag_ids).rows(tables)

        def ours() -> Any:
            return Reader(right, before, written_by_airflow=False, dag_ids=dag_ids, catalog=catalog).rows(tables)

        assert differences(theirs, ours()) == []
        not_found = []
        for mutation in candidates:
            with mutation.made(right):
                if not differences(theirs, ours()):
                    not_found.append(mutation)
    assert not_found == []
    assert {"backfill", "backfill_dag_run", "dag_run", "task_instance", "task_instance_history"} <= tables


def test_every_pair_of_values_occurs() -> None:
    """Of two options, and of an option and what is there before."""
    every_cell = cells()
    for name, values in OPTIONS.items():
        for value in values:
            having = [cell for cell in every_cell if getattr(cell, name) == value]
            assert {prior for cell in having for prior in cell.priors} == set(PRIORS)
            for other, other_values in OPTIONS.items():
                if other != name:
                    assert all(any(getattr(cell, other) == v for cell in having) for v in other_values)


def test_the_page_is_of_this_run(compared: Callable[[str], Compared]) -> None:
    """`docs/parity.md` says what came of it; PGBACKFILL_REWRITE_PARITY=1 writes it anew."""
    rendered = page({release: compared(release).matrix for release in RELEASES})
    if os.environ.get(REWRITE_VARIABLE):
        PAGE.write_text(rendered, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == rendered
