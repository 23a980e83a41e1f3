"""A creation that waited for whoever held the DAG's row sees what that one wrote."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg import Connection
from support.dags import register
from support.databases import wait_until_blocked_by_someone


def test_a_version_that_was_being_written_is_the_one_that_runs(conn: Connection[Any], dsn: str) -> None:
    register(conn, "d")
    with psycopg.connect(dsn) as processor, psycopg.connect(dsn, autocommit=True) as creator:
        processor.execute("select from dag where dag_id = 'd' for update")
        processor.execute("select from pgbackfill.register_dag('d', '0 6 * * *')")
        with creator.pipeline():
            running = creator.cursor()
            running.execute("select from pgbackfill.create_backfill('d', '2026-01-01Z', '2026-01-02Z')")
            wait_until_blocked_by_someone(conn, creator.info.backend_pid)
            processor.commit()

    rows = conn.execute(
        """
        select r.logical_date::time at time zone 'UTC', v.version_number
        from dag_run r join dag_version v on v.id = r.created_dag_version_id
        """
    ).fetchall()
    assert {version for _, version in rows} == {2}
    assert conn.execute(
        "select bool_and(extract(hour from logical_date at time zone 'UTC') = 6) from dag_run"
    ).fetchone() == (True,)
