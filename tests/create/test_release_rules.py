"""What is written on the tables of an older release of Airflow; tests/airflow compares all of it with those releases themselves."""

from __future__ import annotations

from typing import Any

from psycopg import Connection
from support.dags import create, register, set_tasks

NO_TRACE = {"__type": "dict", "__var": {}}


def carriers(conn: Connection[Any]) -> list[tuple[Any, Any]]:
    return conn.execute(
        "select r.context_carrier, ti.context_carrier from dag_run r join task_instance ti using (dag_id, run_id)"
    ).fetchall()


def test_before_3_2_a_run_has_an_empty_trace_and_its_tasks_have_none(conn: Connection[Any]) -> None:
    register(conn)
    set_tasks(conn, "daily", {"task_id": "a"})
    conn.execute("alter table task_instance drop column retry_reason")
    conn.execute("alter table dag_run drop column partition_key")
    assert conn.execute("select pgbackfill._airflow_minor()").fetchone() == (1,)

    create(conn, first="2026-01-01", last="2026-01-02")
    assert carriers(conn) == [(NO_TRACE, None)] * 2


def test_from_3_2_on_a_run_has_a_trace_and_its_tasks_have_the_same(conn: Connection[Any]) -> None:
    register(conn)
    set_tasks(conn, "daily", {"task_id": "a"})
    create(conn, first="2026-01-01", last="2026-01-02")
    found = carriers(conn)
    assert len({str(run) for run, _ in found}) == 2
    assert all(run == task != NO_TRACE for run, task in found)
