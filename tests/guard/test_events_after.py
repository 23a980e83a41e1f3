"""Events are read once each and in order, though their ids are drawn before they are committed."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from psycopg import Connection
from support.dags import create, register

Connect = Callable[..., Connection[Any]]


def after(conn: Connection[Any], event_id: int = 0, **options: Any) -> list[tuple[str, str]]:
    named = "".join(f", {name} => %s" for name in options)
    return conn.execute(
        f"select dag_id, event from pgbackfill.events_after(%s{named})", [event_id, *options.values()]
    ).fetchall()


def newest(conn: Connection[Any]) -> int:
    row = conn.execute("select coalesce(max(id), 0) from pgbackfill.event").fetchone()
    assert row is not None
    return int(row[0])


@pytest.fixture(autouse=True)
def dags(conn: Connection[Any]) -> None:
    for dag_id in ("a", "b", "c"):
        register(conn, dag_id)


def test_it_returns_what_came_after_in_order(conn: Connection[Any]) -> None:
    create(conn, "a")
    seen = newest(conn)
    create(conn, "b")
    create(conn, "c")
    both = [("b", "created"), ("b", "initialized"), ("c", "created"), ("c", "initialized")]
    assert after(conn, seen) == both
    assert after(conn)[2:] == both
    assert after(conn, seen, max_events=3) == both[:3]
    assert after(conn, dag_id="c") == both[2:]
    assert after(conn, seen, backfill_id=2) == both[:2]
    assert after(conn, newest(conn)) == []
    assert conn.execute("select count(*) from pgbackfill.events_after(null, max_events => null)").fetchone() == (6,)


def test_a_lower_id_that_is_committed_later_is_not_missed(conn: Connection[Any], connect: Connect) -> None:
    slow = connect(autocommit=False)
    create(slow, "a")
    create(conn, "b")
    assert conn.execute("select dag_id from pgbackfill.event").fetchall() == [("b",), ("b",)]
    assert after(conn) == [], "the slow one may still bring lower ids"
    assert after(conn, backfill_id=2) == []
    slow.commit()
    assert [dag_id for dag_id, _ in after(conn)] == ["a", "a", "b", "b"]


def test_one_that_is_rolled_back_holds_nothing_up_any_more(conn: Connection[Any], connect: Connect) -> None:
    slow = connect(autocommit=False)
    create(slow, "a")
    create(conn, "b")
    slow.rollback()
    assert [dag_id for dag_id, _ in after(conn)] == ["b", "b"]


def test_it_waits_for_those_that_are_open_and_not_for_those_that_come_later(
    conn: Connection[Any], connect: Connect
) -> None:
    slow, later, reader = connect(autocommit=False), connect(autocommit=False), connect()
    create(slow, "a")
    create(conn, "b")
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(after, reader)
        while not conn.execute(
            "select pid from pg_stat_activity where pid = %s and wait_event = 'PgSleep'", [reader.info.backend_pid]
        ).fetchone():
            pass
        create(later, "c")
        slow.commit()
        assert [dag_id for dag_id, _ in answer.result()] == ["a", "a", "b", "b"]
    later.commit()
    assert len(after(conn)) == 6


def test_a_long_transaction_that_writes_no_event_holds_nothing_up(conn: Connection[Any], connect: Connect) -> None:
    busy = connect(autocommit=False)
    busy.execute("update dag set is_paused = is_paused where dag_id = 'c'")
    busy.execute("select * from pgbackfill.event")
    create(conn, "a")
    with conn.transaction():
        conn.execute("set local statement_timeout = '500ms'")
        assert len(after(conn)) == 2


def test_ones_own_transaction_is_not_waited_for(connect: Connect) -> None:
    mine = connect(autocommit=False)
    create(mine, "a")
    assert len(after(mine)) == 2


def test_a_prepared_transaction_counts_as_open(connect: Connect, conn: Connection[Any]) -> None:
    if conn.execute("select current_setting('max_prepared_transactions')::int > 0").fetchone() != (True,):
        pytest.skip("the server prepares no transactions")
    other = connect()
    other.execute("begin")
    other.execute("update backfill set updated_at = now()")
    other.execute(
        "insert into pgbackfill.event (backfill_id, dag_id, event, occurred_at) values (1, 'a', 'created', now())"
    )
    other.execute("prepare transaction 'p'")
    create(conn, "b")
    assert after(conn) == []
    other.execute("commit prepared 'p'")
    assert len(after(conn)) == 3


@pytest.mark.parametrize("level", ["repeatable read", "serializable"])
def test_an_older_snapshot_is_refused(connect: Connect, level: str) -> None:
    conn = connect(autocommit=False)
    conn.execute(f"set transaction isolation level {level}")
    with pytest.raises(psycopg.Error, match=f"not in {level.upper()}") as refused:
        after(conn)
    assert refused.value.sqlstate == "PB016"


@pytest.mark.parametrize("number", [0, -1])
def test_a_limit_must_be_positive(conn: Connection[Any], number: int) -> None:
    with pytest.raises(psycopg.Error, match="max_events must be positive") as refused:
        after(conn, max_events=number)
    assert refused.value.sqlstate == "PB016"


def test_a_service_needs_execute_and_nothing_else(conn: Connection[Any], connect: Connect) -> None:
    create(conn, "a")
    role = f"reader_{conn.info.backend_pid}"
    conn.execute(f"create role {role}")
    try:
        conn.execute(f"grant usage on schema pgbackfill to {role}")
        reader = connect()
        reader.execute(f"set role {role}")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            after(reader)
        conn.execute(f"grant execute on function pgbackfill.events_after to {role}")
        assert len(after(reader)) == 2
        reader.close()
    finally:
        conn.execute(f"drop owned by {role}")
        conn.execute(f"drop role {role}")


def test_many_writers_at_once_and_one_reader(conn: Connection[Any], dsn: str) -> None:
    """Writers draw ids and commit in any order; a reader that goes on from its last id misses none of them."""
    for number in range(8):
        register(conn, f"w{number}")

    def write(number: int) -> None:
        with psycopg.connect(dsn) as writer:
            for round_ in range(10):
                backfill_id = create(writer, f"w{number}")
                writer.execute("select pg_sleep(%s)", [((number * 7 + round_) % 5) / 500])
                writer.execute("select from pgbackfill.cancel_backfill(%s)", [backfill_id])
                if round_ % 4 == 3:
                    writer.rollback()
                else:
                    writer.commit()

    seen: list[tuple[int, int, str]] = []

    def read() -> list[tuple[int, int, str]]:
        last = seen[-1][0] if seen else 0
        return conn.execute("select id, backfill_id, event from pgbackfill.events_after(%s)", [last]).fetchall()

    with ThreadPoolExecutor(8) as pool:
        writers = [pool.submit(write, number) for number in range(8)]
        while not all(w.done() for w in writers):
            seen += read()
        for w in writers:
            w.result()
    seen += read()
    assert seen == conn.execute("select id, backfill_id, event from pgbackfill.event order by id").fetchall()
    assert len(seen) == 8 * 8 * 3
