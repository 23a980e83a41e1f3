"""What may come between a cancel and the others who write runs of the same backfill, or of the same DAG."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from psycopg import Connection
from support.dags import create, insert_uninitialized_backfill, register

Connect = Callable[..., Connection[Any]]


@pytest.fixture
def creator(conn: Connection[Any], connect: Connect) -> Connection[Any]:
    """Airflow in its second transaction: one run of the first day is written."""
    register(conn)
    insert_uninitialized_backfill(conn, "daily", age="1 second")
    creator = connect()
    creator.execute("begin")
    write_run(creator, 1)
    return creator


def write_run(creator: Connection[Any], day: int) -> None:
    creator.execute(
        """
        with b as (select id from backfill order by id limit 1),
        r as (
          insert into dag_run (dag_id, run_id, run_type, logical_date, run_after, state, backfill_id)
          select 'daily', 'backfill__' || d, 'backfill', d, d, 'queued', b.id
          from b cross join (select timestamptz '2026-01-01 UTC' + make_interval(days => %(day)s - 1) as d) d
          returning id
        )
        insert into backfill_dag_run (backfill_id, dag_run_id, sort_ordinal) select b.id, r.id, %(day)s from b, r
        """,
        {"day": day},
    )


def test_runs_committed_between_the_transactions_of_airflows_cancel_fail(
    conn: Connection[Any], creator: Connection[Any]
) -> None:
    conn.execute("update backfill set is_paused = true")
    conn.execute("update dag_run set state = 'failed' where state = 'queued'")  # sees none
    creator.execute("commit")
    conn.execute("update backfill set completed_at = now()")
    assert conn.execute("select state, end_date is not null from dag_run").fetchall() == [("failed", True)]
    assert conn.execute("select status from pgbackfill.backfills").fetchone() == ("cancelled",)
    assert conn.execute("select * from pgbackfill.anomalies").fetchall() == []


def test_a_cancelled_creator_is_stopped_at_its_next_transaction(
    conn: Connection[Any], creator: Connection[Any]
) -> None:
    conn.execute("select pgbackfill.cancel_backfill(id) from backfill")
    with pytest.raises(psycopg.Error) as error:
        creator.execute("commit")
    assert error.value.sqlstate == "PB012"
    creator.execute("rollback")
    with pytest.raises(psycopg.Error) as error:
        write_run(creator, 2)
    assert error.value.sqlstate == "PB012"
    assert conn.execute("select count(*) from dag_run").fetchone() == (0,)


def test_a_new_creation_waits_for_a_cancelled_creator(
    conn: Connection[Any], connect: Connect, creator: Connection[Any], wait_until_blocked: Callable[..., None]
) -> None:
    """Both would write runs of the same dates, and could wait for each other."""
    conn.execute("select pgbackfill.cancel_backfill(id) from backfill")
    other = connect()
    with ThreadPoolExecutor(1) as pool:
        created = pool.submit(create, other)
        wait_until_blocked(conn, other.info.backend_pid)
        with pytest.raises(psycopg.Error):
            creator.execute("commit")
        created.result()
    counts = conn.execute("select status, slots_created from pgbackfill.active_backfills").fetchall()
    assert counts == [("queued", 3)]


def test_a_cancel_waits_for_one_run_and_holds_no_other(
    conn: Connection[Any], connect: Connect, wait_until_blocked: Callable[..., None]
) -> None:
    """Airflow's cancel takes the runs in any order."""
    register(conn)
    backfill_id = create(conn)
    other, canceller = connect(), connect()
    other.execute("begin")
    other.execute("update dag_run set state = 'failed' where logical_date = '2026-01-02 UTC'")
    with ThreadPoolExecutor(1) as pool:
        cancelled = pool.submit(canceller.execute, "select from pgbackfill.cancel_backfill(%s)", [backfill_id])
        wait_until_blocked(conn, canceller.info.backend_pid)
        other.execute("set lock_timeout = '1ms'")
        other.execute("update dag_run set state = 'failed' where logical_date <> '2026-01-02 UTC'")
        other.execute("commit")
        cancelled.result()
    assert conn.execute("select distinct state from dag_run").fetchall() == [("failed",)]
    assert conn.execute("select status from pgbackfill.backfills").fetchone() == ("cancelled",)


def test_airflows_cancel_takes_a_run_that_a_promotion_holds_and_passes_over(
    conn: Connection[Any], connect: Connect, wait_until_blocked: Callable[..., None]
) -> None:
    """Queued again after the cancel had failed the queued runs; the promotion would start it after the cancel."""
    register(conn)
    create(conn)
    conn.execute("update backfill set is_paused = true")
    promoter, canceller = connect(), connect()
    promoter.execute("begin")
    promoter.execute("select from dag_run where state = 'queued' order by id limit 1 for update")
    with ThreadPoolExecutor(1) as pool:
        cancelled = pool.submit(canceller.execute, "update backfill set completed_at = now()")
        wait_until_blocked(conn, canceller.info.backend_pid)
        promoter.execute("rollback")
        cancelled.result()
    assert conn.execute("select distinct state from dag_run").fetchall() == [("failed",)]
