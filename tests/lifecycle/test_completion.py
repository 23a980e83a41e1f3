"""When a backfill is complete: what this project exists for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg import Connection
from support.dags import create, finish_runs, insert_uninitialized_backfill, register


def sweep(conn: Connection[Any]) -> list[int]:
    return [row[0] for row in conn.execute("select id from pgbackfill.mark_backfills_complete()").fetchall()]


def reap(conn: Connection[Any], grace: str = "2 minutes") -> list[int]:
    return [
        row[0] for row in conn.execute("select id from pgbackfill.reap_abandoned_backfills(%s)", [grace]).fetchall()
    ]


def airflows_sweep(conn: Connection[Any]) -> None:
    """What Airflow's scheduler does to every backfill that it thinks is done."""
    conn.execute("update backfill set completed_at = now() where completed_at is null")


def status(conn: Connection[Any], backfill_id: int) -> str:
    row = conn.execute("select status from pgbackfill.backfills where id = %s", [backfill_id]).fetchone()
    assert row is not None
    return str(row[0])


def move_back(conn: Connection[Any], backfill_id: int, age: str) -> None:
    conn.execute("update backfill set created_at = created_at - %s::interval where id = %s", [age, backfill_id])


@pytest.fixture(autouse=True)
def dag(conn: Connection[Any]) -> None:
    register(conn)


def test_completes_when_all_runs_are_terminal(conn: Connection[Any]) -> None:
    backfill_id = create(conn)
    assert sweep(conn) == []
    first, *others = [r[0] for r in conn.execute("select id from dag_run order by id").fetchall()]
    conn.execute("update dag_run set state = 'success' where id = any (%s)", [others])
    assert sweep(conn) == []
    conn.execute("update dag_run set state = 'failed' where id = %s", [first])
    assert sweep(conn) == [backfill_id]
    assert status(conn, backfill_id) == "completed"
    assert sweep(conn) == []


def test_skips_an_initializing_backfill_however_old(
    conn: Connection[Any], connect: Callable[..., Connection[Any]]
) -> None:
    backfill_id = insert_uninitialized_backfill(conn, "daily", age="3 days")
    creator = connect()
    creator.execute("begin")
    creator.execute(
        "insert into dag_run (dag_id, run_id, run_type, run_after, state, backfill_id) values ('daily', 'r', 'backfill', now(), 'queued', %s)",
        [backfill_id],
    )
    assert sweep(conn) == []
    assert reap(conn) == []
    assert reap(conn, "0 seconds") == []
    airflows_sweep(conn)
    assert status(conn, backfill_id) == "initializing"
    creator.execute("rollback")
    assert reap(conn) == [backfill_id]


def test_reaps_an_abandoned_one_after_the_grace(conn: Connection[Any]) -> None:
    backfill_id = insert_uninitialized_backfill(conn, "daily", age="1 minute")
    assert reap(conn) == []
    assert sweep(conn) == []
    airflows_sweep(conn)
    assert status(conn, backfill_id) == "initializing"

    move_back(conn, backfill_id, "61 seconds")
    assert sweep(conn) == []
    assert reap(conn) == [backfill_id]
    assert status(conn, backfill_id) == "abandoned"
    events = [r[0] for r in conn.execute("select event from pgbackfill.event order by id").fetchall()]
    assert events == ["created", "completion_refused", "initialization_failed"]
    assert create(conn), "the DAG is free again"


def test_airflows_own_sweep_reaps_after_the_grace(conn: Connection[Any]) -> None:
    backfill_id = insert_uninitialized_backfill(conn, "daily", age="121 seconds")
    airflows_sweep(conn)
    assert status(conn, backfill_id) == "abandoned"


def test_the_grace_is_the_callers_for_that_call_only(conn: Connection[Any]) -> None:
    backfill_id = insert_uninitialized_backfill(conn, "daily", age="1 minute")
    with conn.transaction():
        assert reap(conn, "1 hour") == []
        airflows_sweep(conn)
        assert status(conn, backfill_id) == "initializing"
    assert reap(conn, "30 seconds") == [backfill_id]


def test_keeps_an_old_backfill_with_running_runs(conn: Connection[Any]) -> None:
    backfill_id = create(conn)
    conn.execute("update dag_run set state = 'success'")
    conn.execute("update dag_run set state = 'running' where id = (select max(id) from dag_run)")
    move_back(conn, backfill_id, "30 days")
    assert sweep(conn) == []
    assert reap(conn) == []
    airflows_sweep(conn)
    assert status(conn, backfill_id) == "running"


def test_completes_a_young_backfill_whose_runs_have_finished(conn: Connection[Any]) -> None:
    backfill_id = create(conn)
    finish_runs(conn, backfill_id)
    row = conn.execute("select now() - created_at < interval '2 minutes' from backfill").fetchone()
    assert row == (True,)
    assert sweep(conn) == [backfill_id]


def test_completes_a_backfill_of_skipped_slots_only(conn: Connection[Any]) -> None:
    finish_runs(conn, create(conn))
    sweep(conn)
    second = create(conn)
    assert conn.execute(
        "select slots_created, slots_skipped from pgbackfill.backfills where id = %s", [second]
    ).fetchone() == (0, 3)
    assert sweep(conn) == [second]


def test_several_backfills_are_independent(conn: Connection[Any]) -> None:
    register(conn, "other")
    register(conn, "third")
    done, busy, orphan = (
        create(conn, "daily"),
        create(conn, "other"),
        insert_uninitialized_backfill(conn, "third", "1 hour"),
    )
    finish_runs(conn, done)
    assert sweep(conn) == [done]
    assert [status(conn, b) for b in (done, busy, orphan)] == ["completed", "queued", "initializing"]
    assert reap(conn) == [orphan]
    assert [status(conn, b) for b in (done, busy, orphan)] == ["completed", "queued", "abandoned"]


def test_a_run_cleared_after_a_cancel_is_promoted(conn: Connection[Any]) -> None:
    backfill_id = create(conn)
    conn.execute("select from pgbackfill.cancel_backfill(%s)", [backfill_id])
    assert status(conn, backfill_id) == "cancelled"
    assert conn.execute("select is_paused from backfill").fetchone() == (False,)
    conn.execute("update dag_run set state = 'queued' where id = (select min(id) from dag_run)")
    started = conn.execute("select sort_ordinal, state from pgbackfill.start_queued_dag_runs()").fetchall()
    assert started == [(1, "running")]


def test_a_run_cleared_after_a_cancel_by_airflow_is_promoted(conn: Connection[Any]) -> None:
    backfill_id = create(conn)
    conn.execute("update backfill set is_paused = true where id = %s", [backfill_id])
    conn.execute("update dag_run set state = 'failed' where state = 'queued'")
    conn.execute("update backfill set completed_at = now() where id = %s", [backfill_id])
    assert status(conn, backfill_id) == "cancelled"
    conn.execute("update dag_run set state = 'queued' where id = (select min(id) from dag_run)")
    assert len(conn.execute("select from pgbackfill.start_queued_dag_runs()").fetchall()) == 1


def test_a_paused_live_backfills_runs_are_not(conn: Connection[Any]) -> None:
    backfill_id = create(conn)
    conn.execute("select from pgbackfill.pause_backfill(%s)", [backfill_id])
    assert conn.execute("select * from pgbackfill.start_queued_dag_runs()").fetchall() == []
    conn.execute("select from pgbackfill.unpause_backfill(%s)", [backfill_id])
    assert len(conn.execute("select * from pgbackfill.start_queued_dag_runs()").fetchall()) == 3


def test_a_paused_backfill_with_nothing_left_is_completed_not_cancelled(conn: Connection[Any]) -> None:
    backfill_id = create(conn)
    finish_runs(conn, backfill_id)
    conn.execute("select from pgbackfill.pause_backfill(%s)", [backfill_id])
    assert sweep(conn) == [backfill_id]
    assert status(conn, backfill_id) == "completed"


def test_the_sweep_never_waits(conn: Connection[Any], connect: Callable[..., Connection[Any]]) -> None:
    register(conn, "other")
    held, free = create(conn, "daily"), create(conn, "other")
    finish_runs(conn, held)
    finish_runs(conn, free)
    holder = connect()
    holder.execute("begin")
    holder.execute("select from backfill where id = %s for update", [held])
    conn.execute("set lock_timeout = '1ms'")
    assert sweep(conn) == [free]
    assert reap(conn) == []
    holder.execute("rollback")
    assert sweep(conn) == [held]


@pytest.mark.parametrize("grace", [None, "-1 second", "infinity"])
def test_reaping_refuses_a_bad_grace(conn: Connection[Any], grace: str | None) -> None:
    import psycopg

    with pytest.raises(psycopg.Error) as error:
        conn.execute("select from pgbackfill.reap_abandoned_backfills(%s::interval)", [grace])
    assert error.value.sqlstate in ("PB016", "22007")


def test_a_pause_during_initialization_is_not_taken_for_a_cancel(
    conn: Connection[Any], connect: Callable[..., Connection[Any]]
) -> None:
    backfill_id = insert_uninitialized_backfill(conn, "daily", age="1 hour")
    creator = connect()
    creator.execute("begin")
    creator.execute(
        "with r as (insert into dag_run (dag_id, run_id, run_type, run_after, state, backfill_id) "
        "values ('daily', 'r', 'backfill', now(), 'queued', %(id)s) returning id) "
        "insert into backfill_dag_run (backfill_id, dag_run_id, sort_ordinal) select %(id)s, r.id, 1 from r",
        {"id": backfill_id},
    )
    conn.execute("select from pgbackfill.pause_backfill(%s)", [backfill_id])
    conn.execute("update pgbackfill.event set occurred_at = occurred_at - interval '1 minute'")
    airflows_sweep(conn)
    creator.execute("commit")
    assert status(conn, backfill_id) == "paused"


def test_a_flag_set_on_a_completed_backfill_does_not_stay(conn: Connection[Any]) -> None:
    backfill_id = create(conn)
    finish_runs(conn, backfill_id)
    sweep(conn)
    conn.execute("update backfill set is_paused = true where id = %s", [backfill_id])
    assert conn.execute("select is_paused from backfill").fetchone() == (False,)
    assert status(conn, backfill_id) == "completed"


def test_a_backfill_with_slots_is_never_reaped(conn: Connection[Any]) -> None:
    conn.execute("set session_replication_role = replica")  # no trigger saw its rows
    backfill_id = insert_uninitialized_backfill(conn, "daily", age="1 hour")
    conn.execute(
        "with r as (insert into dag_run (dag_id, run_id, run_type, run_after, state, backfill_id) "
        "values ('daily', 'r', 'backfill', now(), 'running', %(id)s) returning id) "
        "insert into backfill_dag_run (backfill_id, dag_run_id, sort_ordinal) select %(id)s, r.id, 1 from r",
        {"id": backfill_id},
    )
    conn.execute("reset session_replication_role")
    assert reap(conn) == []
    airflows_sweep(conn)
    assert conn.execute("select completed_at from backfill").fetchone() == (None,)
    finish_runs(conn, backfill_id)
    assert sweep(conn) == [backfill_id]


@pytest.mark.parametrize("setting", ["bogus", "-1", "-1 s", "1 day", ""])
def test_a_sessions_own_grace_is_ignored(conn: Connection[Any], setting: str) -> None:
    backfill_id = insert_uninitialized_backfill(conn, "daily", age="1 minute")
    conn.execute("select set_config('pgbackfill.initialization_grace', %s, false)", [setting])
    airflows_sweep(conn)
    assert status(conn, backfill_id) == "initializing"


def test_the_sweep_needs_to_see_what_is_there_now(conn: Connection[Any]) -> None:
    conn.execute("begin isolation level repeatable read")
    with pytest.raises(psycopg.Error) as error:
        conn.execute("select from pgbackfill.mark_backfills_complete()")
    assert error.value.sqlstate == "PB016"
    conn.execute("rollback")
