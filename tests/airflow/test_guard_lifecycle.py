"""After an unmodified Airflow has created a backfill: what was cancelled can be cleared, and a scheduler notices nothing."""

from __future__ import annotations

import re
import time
from typing import Any
from urllib.parse import quote

import pytest
from pgbackfill import migrate
from psycopg import Connection
from support.airflow import RELEASES, AirflowDatabase
from support.airflow_guard import Rest, Worker, slot_held, value, wait_for, wait_until_held_up, workers
from support.airflow_processes import RunningAirflow, running_airflow

DAY, NEXT_DAY = "2026-01-05T00:00:00+00:00", "2026-01-06T12:00:00+00:00"
TROUBLE = re.compile(r"Traceback|\b(ERROR|CRITICAL)\b|\[(error|critical) *\]")
QUIET_SECONDS = 120


@pytest.mark.parametrize("airflow", list(RELEASES), indirect=True)
@pytest.mark.parametrize("migrated", [False, True], ids=["unmigrated", "migrated"])
def test_a_run_cleared_after_a_cancel_is_started(airflow_db: AirflowDatabase, migrated: bool) -> None:
    """Cancelled over REST, cleared over REST, then started by the scheduler's own promotion."""
    if migrated:
        migrate.upgrade(airflow_db.dsn)
    with (
        workers(airflow_db, 1) as (worker,),
        running_airflow(airflow_db, ["api-server"]) as airflow,
        airflow_db.connect() as conn,
    ):
        rest = Rest.sign_in(airflow.port)
        backfill_id = worker.ask("create", dag_id="linear", from_date=DAY, to_date=NEXT_DAY)["id"]
        cancel(rest, backfill_id)
        assert states(conn, backfill_id) == ["failed", "failed"]

        clear(rest, conn, backfill_id)
        assert states(conn, backfill_id) == ["failed", "queued"]

        worker.ask("start_queued", times=3)
        assert states(conn, backfill_id) == ["failed", "running" if migrated else "queued"]
        completed = conn.execute("select completed_at is not null from backfill where id = %s", [backfill_id])
        assert completed.fetchone() == (True,)


@pytest.mark.timeout(QUIET_SECONDS + 300)
@pytest.mark.parametrize("airflow", list(RELEASES), indirect=True)
def test_the_scheduler_notices_nothing(airflow_db: AirflowDatabase) -> None:
    """Two minutes of everything that the guard corrects, and no error in the log of the scheduler."""
    migrate.upgrade(airflow_db.dsn)
    with (
        workers(airflow_db, 1) as (worker,),
        running_airflow(airflow_db) as airflow,
        airflow_db.connect() as conn,
    ):
        started = time.monotonic()
        everything(conn, Rest.sign_in(airflow.port), worker, airflow_db, airflow)
        while time.monotonic() < started + QUIET_SECONDS:
            airflow.assert_alive()
            time.sleep(1)  # what may go wrong is not to be waited for; only its time can pass
        wait_for(
            conn,
            "select where not exists (select from pgbackfill.active_backfills)",
            patience_seconds=240,
            diagnosis=airflow.diagnosis,
        )
        log = airflow.log("scheduler")
    print(f"{log.count('backfills as complete')} sweeps with something to complete, {len(log.splitlines())} lines")
    assert "backfills as complete" in log, "the sweep left no word, so this is not its log"
    assert [line for line in log.splitlines() if TROUBLE.search(line)] == [], log


def everything(
    conn: Connection[Any], rest: Rest, worker: Worker, database: AirflowDatabase, airflow: RunningAirflow
) -> None:
    """Every hazard once, while the scheduler runs."""

    def wait(query: str, *parameters: object) -> None:
        wait_for(conn, query, list(parameters), patience_seconds=100, diagnosis=airflow.diagnosis)

    had_event = "select from pgbackfill.event where backfill_id = %s and event = %s"

    # A creator that died, three minutes ago.
    orphan = value(
        conn,
        """
        insert into backfill (dag_id, from_date, to_date, dag_run_conf, is_paused, reprocess_behavior, max_active_runs, created_at, updated_at)
        values ('weights', now(), now(), '{}', false, 'none', 1, now() - interval '3 minutes', now())
        returning id
        """,
    )

    # A creation that a sweep comes by, so old that every release asks for it.
    with slot_held(database, "mapped_group", "2026-01-06T06:00:00+00:00") as holder:
        worker.send("create", dag_id="mapped_group", from_date=DAY, to_date=NEXT_DAY)
        wait_until_held_up(conn, holder)
        held = value(
            conn,
            """
            update backfill
            set created_at = created_at - interval '3 minutes'
            where dag_id = 'mapped_group'
            returning id
            """,
        )

        # By SQL and by REST.
        for dag_id in ("linear", "mapped"):
            conn.execute("select from pgbackfill.create_backfill(%s, %s, %s)", [dag_id, DAY, NEXT_DAY])
        assert rest.create("intervals", DAY, NEXT_DAY).status == 200

        # Many at once.
        assert sorted(answer.status for answer in rest.race(8, "around", DAY, NEXT_DAY)) == [200] + [409] * 7

        # Paused and unpaused.
        paused = value(conn, "select id from backfill where dag_id = 'mapped'")
        assert rest.call("PUT", f"/backfills/{paused}/pause").status == 200
        assert rest.call("PUT", f"/backfills/{paused}/unpause").status == 200

        # Cancelled, then cleared.
        cancelled = rest.create("expansions", DAY, NEXT_DAY, max_active_runs=1).body["id"]
        cancel(rest, cancelled)
        clear(rest, conn, cancelled)
        wait("select from dag_run where backfill_id = %s and state <> 'failed' and start_date is not null", cancelled)

        wait(had_event, orphan, "initialization_failed")
        wait(had_event, held, "completion_refused")
    assert worker.receive() == {"id": held}
    wait(had_event, held, "initialized")


def cancel(rest: Rest, backfill_id: int) -> None:
    answer = rest.call("PUT", f"/backfills/{backfill_id}/cancel")
    assert answer.status == 200, answer


def clear(rest: Rest, conn: Connection[Any], backfill_id: int) -> None:
    """Clear the last run of the backfill."""
    row = conn.execute(
        "select dag_id, run_id from dag_run where backfill_id = %s order by logical_date desc limit 1", [backfill_id]
    ).fetchone()
    assert row is not None
    answer = rest.call("POST", f"/dags/{row[0]}/dagRuns/{quote(row[1], safe='')}/clear", {"dry_run": False})
    assert answer.status == 200, answer


def states(conn: Connection[Any], backfill_id: int) -> list[str]:
    """The states of its runs, in the order of their dates."""
    rows = conn.execute("select state from dag_run where backfill_id = %s order by logical_date", [backfill_id])
    return [row[0] for row in rows]
