"""The rows that create_backfill writes are the rows that Airflow's own `_create_backfill` writes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import psycopg
import pytest
from pgbackfill import migrate
from psycopg.types.json import Jsonb
from support.airflow import AirflowDatabase
from support.rows import differences

Clone = Callable[[], AbstractContextManager[AirflowDatabase]]

DAG_IDS = ["linear", "mapped", "grouped", "weights", "attributes", "expansions", "mapped_group", "around", "intervals"]
WINDOW = {"from_date": "2026-01-05T00:00:00+00:00", "to_date": "2026-01-07T12:00:00+00:00"}


def create_ours(database: AirflowDatabase, request: dict[str, Any]) -> None:
    with database.connect() as conn:
        arguments = {**WINDOW, **request}
        if "dag_run_conf" in arguments:
            arguments["dag_run_conf"] = Jsonb(arguments["dag_run_conf"])
        named = ", ".join(f"{name} => %s" for name in arguments)
        conn.execute(f"select from pgbackfill.create_backfill({named})", list(arguments.values()))


def create_both(theirs: AirflowDatabase, ours: AirflowDatabase, requests: list[dict[str, Any]]) -> None:
    theirs.script("create_backfill.py", [{**WINDOW, **request} for request in requests])
    for request in requests:
        create_ours(ours, request)


def settle(database: AirflowDatabase) -> None:
    """Finish all runs, some tasks of each in another way, complete the backfills, and set a few runs going again."""
    with database.connect() as conn:
        conn.execute(
            """
            update dag_run set start_date = logical_date, end_date = logical_date + interval '1 minute',
              state = case when logical_date::date = '2026-01-06' then 'success' else 'failed' end
            """
        )
        conn.execute(
            """
            update task_instance ti set
              state = (array['success', 'failed', 'skipped', 'upstream_failed', null])[1 + n.nth % 5],
              try_number = n.nth % 3,
              start_date = case when n.nth % 5 < 2 then '2026-02-01 UTC'::timestamptz end,
              end_date = case when n.nth % 5 < 4 then '2026-02-02 UTC'::timestamptz end
            from (
              select id, row_number() over (order by dag_id, run_id, task_id, map_index) as nth from task_instance
            ) n
            where n.id = ti.id
            """
        )
        conn.execute("update backfill set completed_at = '2026-02-03 UTC'")
        conn.execute(
            """
            update dag_run set end_date = null, state = case extract(hour from logical_date) when 9 then 'running' else 'queued' end
            where dag_id = 'grouped' and extract(hour from logical_date) in (9, 10)
            """
        )


def test_a_new_backfill(clone_airflow: Clone) -> None:
    with clone_airflow() as theirs, clone_airflow() as ours:
        migrate.upgrade(ours.dsn)
        requests = [
            {"dag_id": dag_id, "dag_run_conf": {"x": [1]}, "max_active_runs": 3, "run_backwards": dag_id == "mapped"}
            for dag_id in DAG_IDS
        ]
        create_both(theirs, ours, requests)
        with theirs.connect() as left, ours.connect() as right:
            right.execute("alter table backfill drop column initialized_at")
            assert differences(left, right) == []
            assert left.execute("select count(*) > 500 from task_instance").fetchone() == (True,)


@pytest.mark.parametrize("on_latest_version", [True, False])
@pytest.mark.parametrize("behavior", ["none", "failed", "completed"])
def test_reprocessing(clone_airflow: Clone, behavior: str, on_latest_version: bool) -> None:
    with clone_airflow() as theirs, clone_airflow() as ours:
        migrate.upgrade(ours.dsn)
        for dag_id in DAG_IDS:
            create_ours(ours, {"dag_id": dag_id})
        settle(ours)
        copy_rows(ours, theirs)
        options = {"reprocess_behavior": behavior, "run_on_latest_version": on_latest_version, "dag_run_conf": {"y": 2}}
        create_both(theirs, ours, [{"dag_id": dag_id, **options} for dag_id in DAG_IDS])
        with theirs.connect() as left, ours.connect() as right:
            right.execute("alter table backfill drop column initialized_at")
            assert differences(left, right, cleared=True) == []
            assert left.execute("select count(*) > 0 from task_instance_history").fetchone() == (behavior != "none",)
            reasons = left.execute("select distinct exception_reason from backfill_dag_run order by 1").fetchall()
            assert reasons == [("already exists",), ("in flight",), (None,)][behavior == "completed" :]


def copy_rows(source: AirflowDatabase, target: AirflowDatabase) -> None:
    """Give `target` the same backfills, runs and task instances, with their ids."""
    with psycopg.connect(source.dsn) as a, psycopg.connect(target.dsn) as b:
        for table in ("backfill", "dag_run", "task_instance", "backfill_dag_run"):
            columns = b.execute(
                "select string_agg(quote_ident(attname), ', ') from pg_attribute where attrelid = %s::regclass and attnum > 0 and not attisdropped",
                [table],
            ).fetchone()
            assert columns is not None
            with (
                a.cursor().copy(f"copy (select {columns[0]} from {table} order by 1) to stdout") as out,
                b.cursor().copy(f"copy {table} ({columns[0]}) from stdin") as into,
            ):
                for data in out:
                    into.write(data)
            if table != "task_instance":
                b.execute(f"select setval(pg_get_serial_sequence('{table}', 'id'), (select max(id) from {table}))")
