"""However many slots a backfill has, create_backfill runs the same number of SQL statements."""

from __future__ import annotations

from typing import Any

import pytest
from psycopg import Connection
from support.dags import create, register, set_tasks


def statements(conn: Connection[Any], **window: Any) -> int:
    """How many statements a creation runs, counted by the server at every level of nesting."""
    conn.execute("select pg_stat_statements_reset()")
    create(conn, **window)
    row = conn.execute(
        """
        select sum(s.calls)::integer
        from pg_stat_statements s join pg_database d on d.oid = s.dbid
        where d.datname = current_database()
          and s.query !~* 'pg_stat_statements'
          and s.query !~ '^SELECT [$0-9]+ FROM ONLY "public".* FOR KEY SHARE OF x$'  -- foreign keys, which every insert pays
        """
    ).fetchone()
    assert row is not None
    return int(row[0])


@pytest.fixture
def counting(conn: Connection[Any]) -> Connection[Any]:
    conn.execute("create extension pg_stat_statements")
    conn.execute("set pg_stat_statements.track = 'all'")
    register(conn)
    set_tasks(conn, "daily", {"task_id": "a"}, {"task_id": "b"})
    return conn


def test_new_runs(counting: Connection[Any]) -> None:
    few = statements(counting, first="2020-01-01", last="2020-01-10")
    counting.execute("select pgbackfill.cancel_backfill(id) from pgbackfill.active_backfills")
    many = statements(counting, first="2021-01-01", last="2023-09-27")
    assert counting.execute("select max(slots_created) from pgbackfill.backfills").fetchone() == (1000,)
    assert many == few
    assert few > 10, "the nested statements were not counted"


def test_cleared_runs(counting: Connection[Any]) -> None:
    create(counting, first="2021-01-01", last="2023-09-27")
    counting.execute("select pgbackfill.cancel_backfill(id) from pgbackfill.active_backfills")
    few = statements(counting, first="2021-01-01", last="2021-01-10", reprocess_behavior="failed")
    counting.execute("select pgbackfill.cancel_backfill(id) from pgbackfill.active_backfills")
    many = statements(counting, first="2021-01-01", last="2023-09-27", reprocess_behavior="failed")
    assert many == few
