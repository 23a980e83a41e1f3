"""A creation in SQL meets somebody else at work on the same slot: no error on either side, and nobody's run is lost."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from pgbackfill import migrate
from psycopg import Connection
from support.airflow import RELEASES, AirflowDatabase
from support.airflow_guard import value, wait_until_held_up, workers

DAG_ID = "linear"
FIRST, MIDDLE, LAST = "2026-01-05 06:00Z", "2026-01-06 06:00Z", "2026-01-07 06:00Z"
CREATE = (
    f"select id from pgbackfill.create_backfill('{DAG_ID}', '{FIRST}', '{LAST}', reprocess_behavior => 'completed')"
)

pytestmark = [pytest.mark.parametrize("airflow", list(RELEASES), indirect=True)]


@pytest.fixture
def database(airflow_db: AirflowDatabase) -> AirflowDatabase:
    """A database of the release, in which the scheduler is about to make the run of the middle of the window, and no other."""
    migrate.upgrade(airflow_db.dsn)
    with airflow_db.connect() as conn:
        conn.execute("update dag set is_paused = dag_id <> %s", [DAG_ID])
        conn.execute(
            """
            update dag
            set next_dagrun = %(at)s, next_dagrun_data_interval_start = %(at)s, next_dagrun_data_interval_end = %(at)s,
              next_dagrun_create_after = %(at)s
            where dag_id = %(dag_id)s
            """,
            {"at": MIDDLE, "dag_id": DAG_ID},
        )
    return airflow_db


def slots(conn: Connection[Any], backfill_id: int) -> list[tuple[Any, ...]]:
    """Of each slot the reason why it has no run, and the type of the run of its date."""
    return conn.execute(
        """
        select s.exception_reason, r.run_type
        from backfill_dag_run s
        join backfill b on b.id = s.backfill_id
        join dag_run r on r.dag_id = b.dag_id and r.logical_date = s.logical_date
        where b.id = %s
        order by s.sort_ordinal
        """,
        [backfill_id],
    ).fetchall()


def test_the_scheduler_is_making_the_run_of_a_slot(
    database: AirflowDatabase, wait_until_blocked: Callable[..., None]
) -> None:
    with (
        workers(database, 1) as (scheduler,),
        database.connect() as conn,
        database.connect() as creator,
        psycopg.connect(database.dsn) as holder,
        ThreadPoolExecutor(1) as pool,
    ):
        holder.execute("lock table task_instance in share mode")
        scheduler.send("create_scheduled")
        wait_until_held_up(conn, holder.info.backend_pid)  # the run is written, its task instances are not

        creation = pool.submit(value, creator, CREATE)
        wait_until_blocked(conn, creator.info.backend_pid)
        holder.rollback()

        assert scheduler.receive() == {"created": True}
        assert slots(conn, creation.result()) == [(None, "backfill"), ("in flight", "scheduled"), (None, "backfill")]


def test_the_scheduler_comes_while_the_runs_are_being_written(database: AirflowDatabase) -> None:
    """It passes over the DAG, and later over the run that is there, instead of ending at a unique violation (#58942)."""
    with workers(database, 1) as (scheduler,), database.connect() as conn, psycopg.connect(database.dsn) as creator:
        backfill_id = value(creator, CREATE)
        assert scheduler.ask("create_scheduled") == {"created": True}
        creator.commit()
        assert scheduler.ask("create_scheduled") == {"created": True}

        assert slots(conn, backfill_id) == [(None, "backfill")] * 3
        assert value(conn, "select next_dagrun > %s from dag where dag_id = %s", [MIDDLE, DAG_ID])


@pytest.mark.parametrize("held", ["dag_run", "task_instance"])
def test_somebody_holds_a_run_that_is_to_be_cleared(database: AirflowDatabase, held: str) -> None:
    with database.connect() as conn, psycopg.connect(database.dsn) as holder:
        conn.execute(CREATE)
        conn.execute("update dag_run set state = 'failed'")
        conn.execute("select from pgbackfill.mark_backfills_complete()")

        of_the_middle = "run_id = (select run_id from dag_run where dag_id = %s and logical_date = %s) for update"
        holder.execute(f"select from {held} where dag_id = %s and {of_the_middle}", [DAG_ID, DAG_ID, MIDDLE])
        backfill_id = value(conn, CREATE)
        holder.execute("update dag_run set state = 'success' where dag_id = %s and logical_date = %s", [DAG_ID, MIDDLE])
        holder.commit()

        assert slots(conn, backfill_id) == [(None, "backfill"), ("in flight", "backfill"), (None, "backfill")]
        assert value(
            conn, "select array_agg(state order by logical_date) from dag_run where dag_id = %s", [DAG_ID]
        ) == [
            "queued",
            "success",
            "queued",
        ]
