"""With Airflow's own scheduler and executor: a failed run pauses its backfill, and the next one does not start."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from pgbackfill import migrate
from psycopg import Connection
from support.airflow import RELEASES, Airflow, AirflowDatabase
from support.airflow_processes import RunningAirflow, running_airflow

WINDOW = ("2026-01-01T00:00:00+00:00", "2026-01-05T00:00:00+00:00")
GUARDED, UNGUARDED = "fails_on_the_third", "fails_on_the_third_too"
PATIENCE_SECONDS = 240


@pytest.mark.timeout(4 * PATIENCE_SECONDS)
@pytest.mark.parametrize("airflow", RELEASES, indirect=True)
def test_the_fourth_run_does_not_start_until_somebody_unpauses(airflow: Airflow, airflow_db: AirflowDatabase) -> None:
    """Both DAGs fail on their third run. Airflow itself created both backfills; only one has a policy."""
    migrate.upgrade(airflow_db.dsn)
    requests = [
        {"dag_id": dag_id, "from_date": WINDOW[0], "to_date": WINDOW[1], "max_active_runs": 1}
        for dag_id in (GUARDED, UNGUARDED)
    ]
    guarded, _ = [answer["id"] for answer in airflow_db.script("create_backfill.py", requests)]
    with airflow_db.connect() as conn:
        conn.execute("select from pgbackfill.set_failure_policy(%s, 'pause')", [guarded])
        with running_airflow(airflow_db) as running:

            def wait_for(what: Callable[[], bool]) -> None:
                deadline = time.monotonic() + PATIENCE_SECONDS
                while not what():
                    running.assert_alive()
                    assert time.monotonic() < deadline, diagnosis(conn, running)
                    time.sleep(0.5)

            # Without a policy Airflow goes on after the failure: by then the other has had time enough to go on, too.
            wait_for(lambda: states(conn, UNGUARDED) == ["success", "success", "failed", "success", "success"])
            wait_for(lambda: states(conn, GUARDED)[2] == "failed")
            assert states(conn, GUARDED) == ["success", "success", "failed", "queued", "queued"]
            assert status(conn, guarded) == "paused"
            started = conn.execute(
                "select count(*) from dag_run where dag_id = %s and state = 'queued' and start_date is not null",
                [GUARDED],
            ).fetchone()
            assert started == (0,), "the fourth never started, not even for a moment"

            (airflow_db.home / "mended").touch()
            conn.execute("select from pgbackfill.unpause_backfill(%s)", [guarded])
            wait_for(lambda: status(conn, guarded) == "completed")
            assert states(conn, GUARDED) == ["success", "success", "failed", "success", "success"]
            events = conn.execute(
                "select string_agg(event, ' ' order by id) from pgbackfill.event where backfill_id = %s", [guarded]
            ).fetchone()
            assert events == (
                "created initialized failure_policy_set failure_policy_applied paused unpaused completed",
            )


def states(conn: Connection[Any], dag_id: str) -> list[str]:
    rows = conn.execute(
        "select state from dag_run where dag_id = %s and backfill_id is not null order by logical_date", [dag_id]
    )
    return [state for (state,) in rows.fetchall()]


def status(conn: Connection[Any], backfill_id: int) -> str:
    row = conn.execute("select status from pgbackfill.backfills where id = %s", [backfill_id]).fetchone()
    assert row is not None
    return str(row[0])


def diagnosis(conn: Connection[Any], running: RunningAirflow) -> str:
    return f"{states(conn, GUARDED)} {states(conn, UNGUARDED)}\n{running.diagnosis()}"
