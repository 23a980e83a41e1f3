"""The first failed run pauses or cancels its backfill, once, in the transaction that records the failure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg import Connection
from support.dags import create, insert_uninitialized_backfill, register

Connect = Callable[..., Connection[Any]]


@pytest.fixture
def backfill_id(conn: Connection[Any]) -> int:
    register(conn)
    return create(conn, last="2026-01-05", max_active_runs=2)


def set_policy(conn: Connection[Any], backfill_id: int, on_failure: str | None) -> str:
    row = conn.execute(
        "select on_failure from pgbackfill.set_failure_policy(%s, %s)", [backfill_id, on_failure]
    ).fetchone()
    assert row is not None
    return str(row[0])


def start(conn: Connection[Any]) -> list[int]:
    return [i for (i,) in conn.execute("select dag_run_id from pgbackfill.start_queued_dag_runs()").fetchall()]


def fail(conn: Connection[Any], dag_run_id: int) -> None:
    """As Airflow's scheduler does it: a plain update."""
    conn.execute("update dag_run set state = 'failed', end_date = now() where id = %s", [dag_run_id])


def status(conn: Connection[Any], backfill_id: int) -> str:
    row = conn.execute("select status from pgbackfill.backfills where id = %s", [backfill_id]).fetchone()
    assert row is not None
    return str(row[0])


def events(conn: Connection[Any], backfill_id: int) -> list[str]:
    rows = conn.execute("select event from pgbackfill.event where backfill_id = %s order by id", [backfill_id])
    return [event for (event,) in rows.fetchall()]


def states(conn: Connection[Any]) -> list[str]:
    return [state for (state,) in conn.execute("select state from dag_run order by id").fetchall()]


def test_without_a_policy_a_failure_changes_nothing(conn: Connection[Any], backfill_id: int) -> None:
    fail(conn, start(conn)[0])
    assert status(conn, backfill_id) == "running"
    assert events(conn, backfill_id) == ["created", "initialized"]


def test_pause_in_the_transaction_that_records_the_failure(
    conn: Connection[Any], connect: Connect, backfill_id: int
) -> None:
    assert set_policy(conn, backfill_id, "pause") == "pause"
    first, _ = start(conn)
    other = connect()
    with conn.transaction():
        fail(conn, first)
        assert status(other, backfill_id) == "running"
    assert status(other, backfill_id) == "paused"
    assert start(conn) == []
    assert events(conn, backfill_id)[2:] == ["failure_policy_set", "failure_policy_applied", "paused"]
    detail = conn.execute("select detail from pgbackfill.event where event = 'failure_policy_applied'").fetchone()
    assert detail == ({"on_failure": "pause", "dag_run_id": first},)


def test_it_resumes_and_a_second_failure_does_not_stop_it(conn: Connection[Any], backfill_id: int) -> None:
    set_policy(conn, backfill_id, "pause")
    first, second = start(conn)
    fail(conn, first)
    conn.execute("select from pgbackfill.unpause_backfill(%s)", [backfill_id])
    assert len(start(conn)) == 1
    fail(conn, second)
    assert status(conn, backfill_id) == "running"


def test_it_can_be_set_again(conn: Connection[Any], backfill_id: int) -> None:
    set_policy(conn, backfill_id, "pause")
    first, second = start(conn)
    fail(conn, first)
    conn.execute("select from pgbackfill.unpause_backfill(%s)", [backfill_id])
    assert set_policy(conn, backfill_id, "pause") == "pause"
    fail(conn, second)
    assert status(conn, backfill_id) == "paused"


def test_cancel_fails_what_is_queued_and_leaves_what_runs(conn: Connection[Any], backfill_id: int) -> None:
    set_policy(conn, backfill_id, "cancel")
    first, _ = start(conn)
    fail(conn, first)
    assert status(conn, backfill_id) == "cancelled"
    assert states(conn) == ["failed", "running", "failed", "failed", "failed"]
    assert conn.execute("select bool_and(end_date is not null) from dag_run where state = 'failed'").fetchone() == (
        True,
    )
    assert events(conn, backfill_id)[3:] == ["failure_policy_applied", "cancelled"]


def test_set_at_creation(conn: Connection[Any]) -> None:
    register(conn)
    backfill_id = create(conn, on_failure="cancel")
    assert conn.execute("select on_failure from pgbackfill.backfills").fetchone() == ("cancel",)
    fail(conn, start(conn)[0])
    assert status(conn, backfill_id) == "cancelled"
    assert conn.execute("select on_failure from pgbackfill.backfills").fetchone() == ("continue",)


def test_a_backfill_that_airflow_created(conn: Connection[Any]) -> None:
    register(conn)
    backfill_id = insert_uninitialized_backfill(conn, "daily", age="0 seconds")
    with conn.transaction():
        row = conn.execute(
            "insert into dag_run (dag_id, run_id, run_type, logical_date, run_after, state, backfill_id) "
            "values ('daily', 'backfill__1', 'backfill', '2026-01-01', '2026-01-01', 'running', %s) returning id",
            [backfill_id],
        ).fetchone()
        assert row is not None
        conn.execute(
            "insert into backfill_dag_run (backfill_id, dag_run_id, sort_ordinal) values (%s, %s, 1)",
            [backfill_id, row[0]],
        )
    set_policy(conn, backfill_id, "pause")
    fail(conn, row[0])
    assert status(conn, backfill_id) == "paused"


def test_continue_takes_it_back(conn: Connection[Any], backfill_id: int) -> None:
    set_policy(conn, backfill_id, "cancel")
    assert set_policy(conn, backfill_id, "continue") == "continue"
    fail(conn, start(conn)[0])
    assert status(conn, backfill_id) == "running"


def test_runs_that_a_cancel_fails_are_no_failure(conn: Connection[Any], backfill_id: int) -> None:
    """Airflow's cancel: pause, fail what is queued, complete."""
    set_policy(conn, backfill_id, "pause")
    conn.execute("update backfill set is_paused = true")
    conn.execute("update dag_run set state = 'failed' where state = 'queued'")
    conn.execute("update backfill set completed_at = now()")
    assert status(conn, backfill_id) == "cancelled"
    assert "failure_policy_applied" not in events(conn, backfill_id)


def test_a_failure_that_is_rolled_back_did_not_happen(conn: Connection[Any], backfill_id: int) -> None:
    set_policy(conn, backfill_id, "pause")
    first, _ = start(conn)
    with conn.transaction(force_rollback=True):
        fail(conn, first)
        conn.execute("set constraints all immediate")
        assert status(conn, backfill_id) == "paused"
    assert status(conn, backfill_id) == "running"


@pytest.mark.parametrize("on_failure", ["pause", "cancel"])
def test_a_failure_never_waits_and_what_it_missed_the_next_start_makes_good(
    conn: Connection[Any], connect: Connect, backfill_id: int, on_failure: str
) -> None:
    set_policy(conn, backfill_id, on_failure)
    first, _ = start(conn)
    promoter = connect()
    promoter.execute("begin")
    promoter.execute("select from backfill for update")  # as the scheduler holds it while it starts runs
    conn.execute("set lock_timeout = '1ms'")
    fail(conn, first)
    assert events(conn, backfill_id)[-1] == "failure_policy_delayed"
    # Its select of queued runs came before the failure, so now it starts one, and the database puts it back.
    promoter.execute(
        "update dag_run set state = 'running', start_date = now() where id = (select max(id) from dag_run)"
    )
    promoter.execute("commit")
    assert status(conn, backfill_id) == {"pause": "paused", "cancel": "cancelled"}[on_failure]
    left = "queued" if on_failure == "pause" else "failed"
    assert states(conn) == ["failed", "running", left, left, left]
    assert conn.execute(
        "select count(*) from dag_run where state = 'queued' and start_date is not null"
    ).fetchone() == (0,)


def test_our_own_start_makes_good_what_a_failure_missed(
    conn: Connection[Any], connect: Connect, backfill_id: int
) -> None:
    set_policy(conn, backfill_id, "pause")
    first, _ = start(conn)
    holder = connect()
    holder.execute("begin")
    holder.execute("select from backfill for update")
    fail(conn, first)
    holder.execute("rollback")
    assert status(conn, backfill_id) == "running"
    assert start(conn) == []
    assert status(conn, backfill_id) == "paused"


def test_two_failures_at_once_apply_it_once(conn: Connection[Any], connect: Connect, backfill_id: int) -> None:
    set_policy(conn, backfill_id, "pause")
    first, second = start(conn)
    others = connect(), connect()
    for other, run in zip(others, (first, second), strict=True):
        other.execute("begin")
        fail(other, run)
    for other in others:
        other.execute("commit")
    assert status(conn, backfill_id) == "paused"
    assert events(conn, backfill_id).count("failure_policy_applied") == 1


def test_an_error_in_the_policy_never_fails_the_transaction(conn: Connection[Any], backfill_id: int) -> None:
    set_policy(conn, backfill_id, "pause")
    conn.execute("alter table pgbackfill.failure_policy rename column applied_at to gone")
    fail(conn, start(conn)[0])
    assert states(conn)[0] == "failed"
    conn.execute("alter table pgbackfill.failure_policy rename column gone to applied_at")
    assert start(conn) == []
    assert status(conn, backfill_id) == "paused"


@pytest.mark.parametrize("on_failure", [None, "", "stop"])
def test_an_unknown_policy_is_refused(conn: Connection[Any], backfill_id: int, on_failure: str | None) -> None:
    for attempt in (
        lambda: set_policy(conn, backfill_id, on_failure),
        lambda: create(conn, first="2026-02-01", last="2026-02-02", on_failure=on_failure),
    ):
        with pytest.raises(psycopg.Error) as error:
            attempt()
        assert error.value.sqlstate == "PB016"


def test_a_completed_or_unknown_backfill_is_refused(conn: Connection[Any], backfill_id: int) -> None:
    conn.execute("select from pgbackfill.cancel_backfill(%s)", [backfill_id])
    for wrong, sqlstate in ((backfill_id, "PB012"), (0, "PB011"), (None, "PB016")):
        with pytest.raises(psycopg.Error) as error:
            conn.execute("select from pgbackfill.set_failure_policy(%s, 'pause')", [wrong])
        assert error.value.sqlstate == sqlstate


def test_a_cancel_takes_all_that_is_queued_or_waits_for_the_next_start(
    conn: Connection[Any], connect: Connect, backfill_id: int
) -> None:
    """Airflow's promotion takes runs before it takes their backfill, and passes over those whose backfill is held."""
    set_policy(conn, backfill_id, "cancel")
    first, _ = start(conn)
    promoter = connect()
    promoter.execute("begin")
    promoter.execute("select from dag_run where state = 'queued' order by id limit 1 for update")
    fail(conn, first)
    assert states(conn) == ["failed", "running", "queued", "queued", "queued"]
    promoter.execute("rollback")
    assert start(conn) == []
    assert states(conn) == ["failed", "running", "failed", "failed", "failed"]
    assert status(conn, backfill_id) == "cancelled"


def delay(conn: Connection[Any], connect: Connect, dag_run_id: int) -> None:
    """A failure that comes while a scheduler holds the backfill."""
    holder = connect()
    holder.execute("begin")
    holder.execute("select from backfill for update")
    fail(conn, dag_run_id)
    holder.execute("rollback")


@pytest.mark.parametrize("on_failure", ["pause", "cancel"])
@pytest.mark.parametrize("in_one_statement", [True, False])
def test_no_run_of_a_promotion_starts_after_a_delayed_failure(
    conn: Connection[Any], connect: Connect, backfill_id: int, on_failure: str, in_one_statement: bool
) -> None:
    set_policy(conn, backfill_id, on_failure)
    delay(conn, connect, start(conn)[0])
    queued = [i for (i,) in conn.execute("select id from dag_run where state = 'queued' order by id").fetchall()]
    with conn.transaction():
        for runs in [queued] if in_one_statement else [[run] for run in queued]:
            conn.execute("update dag_run set state = 'running', start_date = now() where id = any (%s)", [runs])
    left = "queued" if on_failure == "pause" else "failed"
    assert states(conn) == ["failed", "running", left, left, left]
    assert conn.execute("select * from pgbackfill.anomalies").fetchall() == []


def test_a_delayed_policy_ends_with_its_backfill(conn: Connection[Any], connect: Connect, backfill_id: int) -> None:
    """Else a run that is cleared later would be put back to queued for ever."""
    set_policy(conn, backfill_id, "pause")
    delay(conn, connect, start(conn)[0])
    conn.execute("select from pgbackfill.cancel_backfill(%s)", [backfill_id])
    assert conn.execute("select count(*) from pgbackfill.failure_policy").fetchone() == (0,)
    conn.execute("update dag_run set state = 'queued', queued_at = now(), start_date = null where state = 'failed'")
    assert start(conn) != []
