"""The view anomalies shows every rule that is broken, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from psycopg import Connection
from support.dags import create, finish_runs, insert_uninitialized_backfill, register


@pytest.fixture(autouse=True)
def dag(conn: Connection[Any]) -> None:
    register(conn)


@contextmanager
def without_guard(conn: Connection[Any]) -> Iterator[None]:
    """As if no trigger were there; foreign keys are not checked either."""
    conn.execute("set session_replication_role = replica")
    yield
    conn.execute("reset session_replication_role")


def anomalies(conn: Connection[Any]) -> list[tuple[str, int]]:
    rows = conn.execute("select anomaly, backfill_id, dag_id, detail, hint from pgbackfill.anomalies").fetchall()
    assert all(dag_id and detail and hint for _, _, dag_id, detail, hint in rows)
    return [(anomaly, backfill_id) for anomaly, backfill_id, *_ in rows]


def start_one(conn: Connection[Any]) -> None:
    assert len(conn.execute("select from pgbackfill.start_queued_dag_runs(1)").fetchall()) == 1


def clear(conn: Connection[Any], backfill_id: int) -> None:
    """As Airflow clears the first run of a backfill."""
    conn.execute(
        """
        update dag_run set state = 'queued', queued_at = clock_timestamp(), start_date = null, end_date = null, clear_number = clear_number + 1
        where id = (select dag_run_id from backfill_dag_run where backfill_id = %s and sort_ordinal = 1)
        """,
        [backfill_id],
    )


def test_a_healthy_life_shows_nothing(conn: Connection[Any]) -> None:
    backfill_id = create(conn)
    assert anomalies(conn) == []
    start_one(conn)
    conn.execute("select from pgbackfill.pause_backfill(%s)", [backfill_id])
    assert anomalies(conn) == []
    finish_runs(conn, backfill_id)
    conn.execute("select from pgbackfill.mark_backfills_complete()")
    assert anomalies(conn) == []
    again = create(conn, reprocess_behavior="completed")  # takes the runs over; the slots of the first remain
    assert anomalies(conn) == []
    start_one(conn)
    conn.execute("select from pgbackfill.cancel_backfill(%s)", [again])
    assert conn.execute("select count(*) from dag_run where state = 'running'").fetchone() == (1,)
    assert anomalies(conn) == []
    create(conn, last="2026-01-09")  # with slots that are skipped
    assert anomalies(conn) == []


def test_an_airflow_creation_that_died_shows_nothing(conn: Connection[Any]) -> None:
    insert_uninitialized_backfill(conn, "daily", age="1 hour")
    assert anomalies(conn) == []
    conn.execute("select from pgbackfill.reap_abandoned_backfills()")
    assert anomalies(conn) == []


@pytest.mark.parametrize("function", ["cancel_backfill", "mark_backfills_complete"])
def test_a_run_that_is_cleared_after_the_completion_is_right(conn: Connection[Any], function: str) -> None:
    backfill_id = create(conn)
    if function == "cancel_backfill":
        conn.execute("select from pgbackfill.cancel_backfill(%s)", [backfill_id])
    else:
        finish_runs(conn, backfill_id)
        conn.execute("select from pgbackfill.mark_backfills_complete()")
    clear(conn, backfill_id)
    assert anomalies(conn) == []
    start_one(conn)
    assert anomalies(conn) == []


def test_a_clearing_under_way_at_the_completion_is_right(conn: Connection[Any]) -> None:
    backfill_id = create(conn)
    finish_runs(conn, backfill_id)
    conn.execute("select from pgbackfill.mark_backfills_complete()")
    conn.execute("update backfill set initialized_at = initialized_at - interval '1 hour'")
    conn.execute("update dag_run set created_at = created_at - interval '1 hour'")
    clear(conn, backfill_id)
    conn.execute("update dag_run set queued_at = queued_at - interval '10 seconds' where state = 'queued'")
    assert anomalies(conn) == []
    conn.execute("update dag_run set queued_at = queued_at - interval '1 minute' where state = 'queued'")
    assert anomalies(conn) == [("unfinished_after_completion", backfill_id)]


def test_runs_of_completed_backfills_may_be_deleted(conn: Connection[Any]) -> None:
    backfill_id = create(conn)
    finish_runs(conn, backfill_id)
    conn.execute("select from pgbackfill.mark_backfills_complete()")
    conn.execute("delete from dag_run")
    assert anomalies(conn) == []


def test_several_active(conn: Connection[Any]) -> None:
    register(conn, "other")
    create(conn, "other")
    conn.execute("drop index pgbackfill_one_active_backfill")
    both = [insert_uninitialized_backfill(conn, "daily", age="1 minute") for _ in range(2)]
    assert anomalies(conn) == [("several_active", backfill_id) for backfill_id in both]


@pytest.mark.parametrize("state", ["queued", "running"])
def test_completed_too_early(conn: Connection[Any], state: str) -> None:
    backfill_id = create(conn)
    conn.execute("update dag_run set state = 'success' where id > (select min(id) from dag_run)")
    conn.execute("update dag_run set state = %s where state = 'queued'", [state])
    with without_guard(conn):
        conn.execute("update backfill set completed_at = clock_timestamp()")
    conn.execute(
        "insert into pgbackfill.event (backfill_id, dag_id, event, occurred_at) values (1, 'daily', 'completed', now())"
    )
    assert anomalies(conn) == [("unfinished_after_completion", backfill_id)]


def test_completed_before_the_guard_with_a_running_run_may_have_been_cancelled(conn: Connection[Any]) -> None:
    create(conn, last="2026-01-01")
    start_one(conn)
    with without_guard(conn):
        conn.execute("update backfill set completed_at = clock_timestamp()")
    assert anomalies(conn) == []


def test_a_queued_run_that_a_cancel_left(conn: Connection[Any]) -> None:
    backfill_id = create(conn)
    conn.execute("update dag_run set state = 'failed' where id > (select min(id) from dag_run)")
    with without_guard(conn):
        conn.execute("update backfill set completed_at = clock_timestamp()")
    conn.execute(
        "insert into pgbackfill.event (backfill_id, dag_id, event, occurred_at) values (1, 'daily', 'cancelled', now())"
    )
    assert conn.execute("select status from pgbackfill.backfills").fetchone() == ("cancelled",)
    assert anomalies(conn) == [("unfinished_after_completion", backfill_id)]


@pytest.mark.parametrize("completed", [False, True])
def test_never_initialized(conn: Connection[Any], completed: bool) -> None:
    backfill_id = create(conn)
    finish_runs(conn, backfill_id)
    with without_guard(conn):
        conn.execute("update backfill set initialized_at = null")
    if completed:
        conn.execute("update backfill set completed_at = clock_timestamp()")
    assert anomalies(conn) == [("never_initialized", backfill_id)]


def test_paused_after_completion(conn: Connection[Any]) -> None:
    backfill_id = create(conn)
    conn.execute("select from pgbackfill.cancel_backfill(%s)", [backfill_id])
    with without_guard(conn):
        conn.execute("update backfill set is_paused = true")
    assert anomalies(conn) == [("paused_after_completion", backfill_id)]


@pytest.mark.parametrize("missing", [1, 2])
def test_missing_slots(conn: Connection[Any], missing: int) -> None:
    backfill_id = create(conn)
    conn.execute(
        "delete from dag_run where id = (select dag_run_id from backfill_dag_run where sort_ordinal = %s)", [missing]
    )
    conn.execute("delete from backfill_dag_run where sort_ordinal = %s", [missing])
    assert anomalies(conn) == [("missing_slots", backfill_id)]


def test_a_slot_twice(conn: Connection[Any]) -> None:
    backfill_id = create(conn)
    conn.execute("update backfill_dag_run set sort_ordinal = 3 where sort_ordinal = 2")
    assert anomalies(conn) == [("missing_slots", backfill_id)]


def test_no_slots_at_all(conn: Connection[Any]) -> None:
    backfill_id = create(conn)
    conn.execute("delete from dag_run")
    conn.execute("delete from backfill_dag_run")
    assert anomalies(conn) == [("missing_slots", backfill_id)]


def test_slot_without_run(conn: Connection[Any]) -> None:
    backfill_id = create(conn)
    conn.execute(
        "delete from dag_run where id in (select dag_run_id from backfill_dag_run where sort_ordinal in (1, 3))"
    )
    assert anomalies(conn) == [("slot_without_run", backfill_id)]
    detail = conn.execute("select detail from pgbackfill.anomalies").fetchone()
    assert detail == ("slots without a run and without a reason: 1, 3",)


def test_run_of_another_dag(conn: Connection[Any]) -> None:
    register(conn, "other")
    backfill_id = create(conn)
    with without_guard(conn):
        conn.execute("update dag_run set dag_id = 'other' where id = (select min(id) from dag_run)")
    assert anomalies(conn) == [("run_of_another_dag", backfill_id)]


def test_run_of_another_dag_in_a_slot_only(conn: Connection[Any]) -> None:
    register(conn, "other")
    create(conn, "other", last="2026-01-01")
    backfill_id = create(conn, last="2026-01-01")
    with without_guard(conn):
        conn.execute("delete from dag_run where dag_id = 'daily'")
        conn.execute(
            "update backfill_dag_run set dag_run_id = (select id from dag_run) where backfill_id = %s", [backfill_id]
        )
    assert anomalies(conn) == [("run_of_another_dag", backfill_id)]


def test_run_without_slot(conn: Connection[Any]) -> None:
    backfill_id = create(conn)
    run = conn.execute(
        """
        insert into dag_run (dag_id, run_id, run_type, run_after, state, backfill_id)
        values ('daily', 'nobody''s', 'backfill', now(), 'queued', %s) returning id
        """,
        [backfill_id],
    ).fetchone()
    assert anomalies(conn) == [("run_without_slot", backfill_id)]
    assert conn.execute("select dag_run_id from pgbackfill.anomalies").fetchone() == run


def test_thousands_of_backfills_are_checked_in_moments(conn: Connection[Any]) -> None:
    """No plan in it grows with the square of anything."""
    conn.execute("set session_replication_role = replica")
    conn.execute(
        """
        insert into backfill (dag_id, from_date, to_date, dag_run_conf, is_paused, reprocess_behavior, max_active_runs,
          created_at, updated_at, initialized_at, completed_at)
        select 'dag_' || n, now(), now(), '{}', false, 'none', 10, now(), now(), now(), case when n % 10 > 0 then now() end
        from generate_series(1, 5000) n;
        insert into dag_run (dag_id, run_id, run_type, run_after, state, backfill_id, logical_date, queued_at)
        select b.dag_id, 'run_' || n, 'backfill', now(), case when b.completed_at is null then 'queued' else 'success' end, b.id,
          now() + n * interval '1 day', now()
        from backfill b, generate_series(1, 10) n;
        insert into backfill_dag_run (backfill_id, dag_run_id, sort_ordinal)
        select r.backfill_id, r.id, row_number() over (partition by r.backfill_id order by r.id)
        from dag_run r;
        analyze;
        """
    )
    conn.execute("reset session_replication_role")
    conn.execute("set statement_timeout = '5s'")
    assert anomalies(conn) == []
    conn.execute("update backfill set max_active_runs = 1")
    conn.execute("update dag_run set state = 'running' where run_id = 'run_1' and state = 'queued'")
    stuck = conn.execute("select reason, count(*) from pgbackfill.stuck_dag_runs group by reason").fetchall()
    assert stuck == [("dag_missing", 5000)]
