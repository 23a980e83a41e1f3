"""A real, unmodified Airflow 3.3.2 executes what one SQL call created, and completes it."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from pgbackfill import migrate
from support.airflow import AirflowDatabase
from support.airflow_processes import RunningAirflow, running_airflow

# DAG, window, runs: 5 runs in all.
BACKFILLS = [
    ("linear", "2026-01-05 00:00Z", "2026-01-06 12:00Z", 2),
    ("mapped", "2026-01-05 00:00Z", "2026-01-05 12:00Z", 1),
    ("grouped", "2026-01-05 00:00Z", "2026-01-05 00:30Z", 2),
]
PATIENCE_SECONDS = 600


@pytest.mark.timeout(PATIENCE_SECONDS + 300)
def test_airflow_executes_what_sql_created(airflow_db: AirflowDatabase, psql: Callable[..., str]) -> None:
    migrate.upgrade(airflow_db.dsn)
    with running_airflow(airflow_db) as airflow:
        for dag_id, first, last, runs in BACKFILLS:
            counts = psql(
                f"""
                select slots_created, status
                from pgbackfill.create_backfill('{dag_id}', '{first}', '{last}', max_active_runs => 2);
                """,
                dsn=airflow_db.dsn,
            )
            assert counts.strip() == f"{runs}|queued"
        wait_until_completed(airflow_db, airflow)

        states = psql(
            "select dag_id, state, count(*) from dag_run where backfill_id is not null group by 1, 2 order by 1",
            dsn=airflow_db.dsn,
        )
        assert states.split() == ["grouped|success|2", "linear|success|2", "mapped|success|1"]
        tasks = psql(
            "select distinct dag_id, task_id, state from task_instance where run_id like 'backfill%' and state <> 'success'",
            dsn=airflow_db.dsn,
        )
        assert tasks == ""
        expanded = psql(
            "select count(*) from task_instance where dag_id = 'mapped' and task_id = 'add' and run_id like 'backfill%'",
            dsn=airflow_db.dsn,
        )
        assert expanded.strip() == "3", "the task mapped over another's output was expanded by Airflow"
        events = psql(
            "select dag_id, string_agg(event, ',' order by id) from pgbackfill.event group by 1 order by 1",
            dsn=airflow_db.dsn,
        )
        assert events.split() == [
            f"{dag_id}|created,initialized,completed" for dag_id in ("grouped", "linear", "mapped")
        ]


def wait_until_completed(database: AirflowDatabase, airflow: RunningAirflow) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    with database.connect() as conn:
        while conn.execute("select id from pgbackfill.active_backfills").fetchone():
            airflow.assert_alive()
            if time.monotonic() > deadline:
                states = conn.execute(
                    "select dag_id, task_id, map_index, state from task_instance where state is distinct from 'success'"
                ).fetchall()
                progress = conn.execute("select * from pgbackfill.backfill_progress").fetchall()
                pytest.fail(f"not completed: {progress}\n{states}\n{airflow.diagnosis()}")
            time.sleep(1)
