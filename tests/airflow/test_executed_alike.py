"""A real Airflow 3.3.2 runs what its own code created and what SQL created, to the same end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from pgbackfill import migrate
from psycopg import Connection
from support.airflow import Airflow, AirflowDatabase
from support.airflow_processes import running_airflow
from support.databases import dsn_of
from support.zoo import CONFIG, CONFIG_AT_WORK, serialize

SHAPES = [
    "linear",
    "diamonds",
    "nested_groups",
    "mapped_literals",
    "mapped_output",
    "mapped_groups",
    "setup_teardown",
    "trigger_rules",
    "branches",
    "weight_rules",
]
RUN_AGAIN = ["linear", "mapped_output", "branches"]
DAY = {"from_date": "2025-03-03T00:00:00+00:00", "to_date": "2025-03-03T12:00:00+00:00"}
PATIENCE_SECONDS = 600

RUNS = "select dag_id, logical_date, run_type, state, clear_number from dag_run where backfill_id is not null order by 1, 2"
TASKS = """
select ti.dag_id, r.logical_date, ti.task_id, ti.map_index, ti.state, ti.try_number
from task_instance ti
join dag_run r on r.dag_id = ti.dag_id and r.run_id = ti.run_id
where r.backfill_id is not null
order by 1, 2, 3, 4
"""
SEVERAL_VERSIONS = """
select v.dag_id
from dag_version v
join backfill b on b.dag_id = v.dag_id
group by v.dag_id
having count(distinct v.id) > 1
"""


@dataclass(frozen=True)
class Copy:
    """One of the two databases, and how backfills are created in it."""

    database: AirflowDatabase
    create: Callable[[Sequence[dict[str, Any]]], None]

    def run(self, requests: Sequence[dict[str, Any]]) -> None:
        """Create the backfills and have Airflow execute them to the end."""
        with running_airflow(self.database) as airflow, self.database.connect() as conn:
            self.create(requests)
            deadline = time.monotonic() + PATIENCE_SECONDS
            while conn.execute("select id from backfill where completed_at is null").fetchone():
                airflow.assert_alive()
                assert time.monotonic() < deadline, f"{unfinished(conn)}\n{airflow.diagnosis()}"
                time.sleep(1)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with self.database.connect() as conn:
            return conn.execute(query).fetchall()


def unfinished(conn: Connection[Any]) -> list[tuple[Any, ...]]:
    return conn.execute(
        "select dag_id, task_id, map_index, state from task_instance where state is distinct from 'success'"
    ).fetchall()


@pytest.fixture
def copies(
    airflow: Airflow,
    airflow_template: Callable[[Airflow], str],
    admin: Connection[Any],
    make_database: Callable[[str], AbstractContextManager[str]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[Copy, Copy]]:
    """Two copies of a database with some shapes of the zoo, the second one with pgbackfill."""
    config = {
        "zoo__shapes": ",".join(SHAPES),
        "core__dags_are_paused_at_creation": "False",
        "scheduler__use_job_schedule": "False",  # no runs but those of the backfills
    }

    @contextmanager
    def database(template: str, of_zoo: dict[str, str]) -> Iterator[AirflowDatabase]:
        with make_database(template) as name:
            home = tmp_path_factory.mktemp("airflow_home")
            yield AirflowDatabase(airflow, dsn_of(admin, name), home, {**of_zoo, **config})

    with database(airflow_template(airflow), CONFIG) as zoo:
        serialize(zoo, copies=1, changed=())
        with zoo.connect() as conn:
            template = conn.info.dbname
        with database(template, CONFIG_AT_WORK) as theirs, database(template, CONFIG_AT_WORK) as ours:
            migrate.upgrade(ours.dsn)
            yield (
                Copy(theirs, lambda requests: theirs.script("create_backfill.py", requests)),
                Copy(ours, lambda requests: create_in_sql(ours, requests)),
            )


def create_in_sql(database: AirflowDatabase, requests: Sequence[dict[str, Any]]) -> None:
    with database.connect() as conn:
        for request in requests:
            named = ", ".join(f"{name} => %({name})s" for name in request)
            conn.execute(f"select from pgbackfill.create_backfill({named})", request)


@pytest.mark.timeout(4 * PATIENCE_SECONDS)
def test_final_states_are_the_same(copies: tuple[Copy, Copy]) -> None:
    first = [{"dag_id": f"{shape}__00", **DAY} for shape in SHAPES]
    again = [{"dag_id": f"{shape}__00", **DAY, "reprocess_behavior": "completed"} for shape in RUN_AGAIN]
    for requests in (first, again):
        with ThreadPoolExecutor(2) as pool:  # both Airflows at once: much of the time they wait
            list(pool.map(Copy.run, copies, [requests] * 2))

    theirs, ours = copies
    for copy in copies:
        assert copy.rows(SEVERAL_VERSIONS) == [], "a version that comes while runs are at work removes mapped tasks"
    assert ours.rows(RUNS) == theirs.rows(RUNS)
    assert ours.rows(TASKS) == theirs.rows(TASKS)
    assert {row[0].rpartition("__")[0] for row in ours.rows(RUNS)} == set(SHAPES)
    assert {state for *_, state, _ in ours.rows(TASKS)} == {"success", "skipped"}
