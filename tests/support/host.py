"""A database on which Airflow ran before pgbackfill came."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from pgbackfill import migrate
from psycopg import Connection


@contextmanager
def airflows_tables(dsn: str, schema: str = "public") -> Iterator[Connection[Any]]:
    """An autocommit connection to a database that has Airflow's tables and no pgbackfill."""
    migrate.upgrade(dsn, "0001", host_schema=schema)
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute("drop table pgbackfill.host, pgbackfill.host_table, pgbackfill.alembic_version")
        conn.execute("drop schema pgbackfill")
        yield conn


def add_backfill(
    conn: Connection[Any],
    dag_id: str,
    *,
    completed: bool = False,
    is_paused: bool | None = None,
    slots: int = 0,
    age: str = "1 day",
) -> int:
    """A backfill as Airflow writes it, with slots that have no run."""
    row = conn.execute(
        """
        insert into backfill
          (dag_id, from_date, to_date, dag_run_conf, is_paused, reprocess_behavior, max_active_runs, created_at, updated_at, completed_at)
        values (%s, now(), now(), '{}', %s, 'none', 10, now() - %s::interval, now(), case when %s then now() end)
        returning id
        """,
        [dag_id, is_paused, age, completed],
    ).fetchone()
    assert row is not None
    conn.execute(
        "insert into backfill_dag_run (backfill_id, sort_ordinal) select %s, n from generate_series(1, %s) n",
        [row[0], slots],
    )
    return int(row[0])


def add_run(conn: Connection[Any], backfill_id: int, number: int, state: str) -> int:
    """A run of a backfill, as Airflow writes it."""
    row = conn.execute(
        """
        insert into dag_run (dag_id, run_id, run_type, state, run_after, logical_date, backfill_id, start_date)
        select b.dag_id, format('backfill__%%s_%%s', b.id, %s::int), 'backfill', %s, now(), now() + b.id * interval '1 day' + %s * interval '1 s', b.id,
          case when %s <> 'queued' then now() end
        from backfill b where b.id = %s
        returning id
        """,
        [number, state, number, state, backfill_id],
    ).fetchone()
    assert row is not None
    conn.execute(
        "insert into backfill_dag_run (backfill_id, dag_run_id, sort_ordinal) values (%s, %s, %s)",
        [backfill_id, row[0], number],
    )
    return int(row[0])
