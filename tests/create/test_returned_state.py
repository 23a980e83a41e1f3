"""A creation returns its backfill as the views show it, and asking for one backfill does not read the others."""

from __future__ import annotations

from typing import Any

import pytest
from psycopg import Connection
from psycopg.rows import dict_row
from support.dags import create, finish_runs, register

ARGUMENTS: dict[str, dict[str, Any]] = {
    "of new runs": {},
    "of new runs beside others": {"first": "2026-01-05", "last": "2026-01-20"},
    "of existing runs": {"reprocess_behavior": "completed"},
    "of existing runs and new ones": {"first": "2026-01-05", "last": "2026-01-20", "reprocess_behavior": "failed"},
    "with all that can be asked for": {
        "first": "2026-02-01",
        "last": "2026-02-03",
        "max_active_runs": 3,
        "run_backwards": True,
        "dag_run_conf": '{"a": [1, null]}',
        "run_on_latest_version": False,
        "triggering_user_name": "Zoë",
        "idempotency_key": "k",
        "on_failure": "pause",
    },
}


@pytest.mark.parametrize("arguments", ARGUMENTS.values(), ids=ARGUMENTS)
def test_a_creation_returns_what_the_view_shows(conn: Connection[Any], arguments: dict[str, Any]) -> None:
    register(conn)
    earlier = create(conn, first="2026-01-01", last="2026-01-10")
    finish_runs(conn, earlier, "failed")
    conn.execute("select pgbackfill.mark_backfills_complete()")

    request = {"dag_id": "daily", "from_date": "2026-01-01", "to_date": "2026-01-10", **arguments}
    request.update(
        {date: request.pop(name) for name, date in (("first", "from_date"), ("last", "to_date")) if name in request}
    )
    named = ", ".join(f"{name} => %({name})s" for name in request)
    cursor = conn.cursor(row_factory=dict_row)
    with conn.transaction():  # initialized_at is set anew when it ends
        returned = cursor.execute(f"select * from pgbackfill.create_backfill({named})", request).fetchone()
        shown = cursor.execute("select * from pgbackfill.active_backfills").fetchone()
    assert returned == shown
    assert returned is not None
    assert returned["slots_created"] + returned["slots_cleared"] + returned["slots_skipped"] > 0


def test_one_backfill_is_read_alone_however_often(conn: Connection[Any]) -> None:
    for dag_id in ("many", "few"):
        register(conn, dag_id)
    many = create(conn, dag_id="many", first="2018-01-01", last="2025-12-31")
    few = create(conn, dag_id="few", first="2025-12-31", last="2025-12-31")
    conn.execute("vacuum analyze")

    def ask(backfill_id: int) -> None:
        for function in ("_backfill_state", "_backfill_progress", "_dag_run_state"):
            conn.execute(f"select * from pgbackfill.{function}(%s)", [backfill_id])

    for _ in range(10):  # from the sixth on, a plan for any argument could be taken for the cheaper one
        ask(many)
    with conn.transaction():
        conn.execute("set local max_parallel_workers_per_gather = 0")  # a worker counts for itself
        before = rows_read(conn)
        ask(few)
        assert 0 < rows_read(conn) - before < 50


def rows_read(conn: Connection[Any]) -> int:
    """Rows of slots and runs, and entries of their indexes, that are counted so far; inside a transaction nothing is taken off the count."""
    row = conn.execute(
        """
        with tables as (select unnest(array['backfill_dag_run', 'dag_run']::regclass[])::oid as id)
        select sum(pg_stat_get_xact_tuples_returned(read.id))::integer
        from (select id from tables union all select indexrelid from pg_index where indrelid in (select id from tables)) read
        """
    ).fetchone()
    assert row is not None
    return int(row[0])
