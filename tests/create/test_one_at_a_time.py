"""Of any number of creations for one DAG at once, exactly one succeeds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from threading import Barrier
from typing import Any

import psycopg
from psycopg import Connection
from support.dags import create, register

CONNECTIONS = 16
ROUNDS = 50


def test_exactly_one_of_sixteen_creations_succeeds_in_each_of_fifty_rounds(
    conn: Connection[Any], connect: Callable[..., Connection[Any]]
) -> None:
    register(conn)
    barrier = Barrier(CONNECTIONS)
    connections = [connect() for _ in range(CONNECTIONS)]

    def attempt(connection: Connection[Any], day: datetime) -> str:
        barrier.wait()
        try:
            connection.execute("select from pgbackfill.create_backfill('daily', %s, %s)", [day, day])
        except psycopg.Error as error:
            return error.sqlstate or "no SQLSTATE"
        return "created"

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        for number in range(ROUNDS):
            day = datetime(2026, 1, 1, tzinfo=timezone.utc) + timedelta(days=number)
            outcomes = Counter(pool.map(attempt, connections, [day] * CONNECTIONS))
            assert outcomes == {"created": 1, "PB001": CONNECTIONS - 1}
            active = conn.execute("select id from pgbackfill.active_backfills").fetchall()
            assert len(active) == 1
            conn.execute("select from pgbackfill.cancel_backfill(%s)", [active[0][0]])


def test_the_loser_waits_for_the_winner_and_names_it(
    conn: Connection[Any],
    connect: Callable[..., Connection[Any]],
    wait_until_blocked: Callable[..., None],
) -> None:
    register(conn)
    winner, loser = connect(), connect()
    with ThreadPoolExecutor(1) as pool, winner.transaction():
        winner_id = create(winner)
        outcome = pool.submit(create, loser)
        wait_until_blocked(conn, loser.info.backend_pid)
        assert not outcome.done()
        winner.execute("commit")
        error = outcome.exception()
        winner.execute("begin")
    assert isinstance(error, psycopg.Error)
    assert error.sqlstate == "PB001"
    assert error.diag.message_detail == f"active backfill: {winner_id}"


def test_the_next_creation_succeeds_when_the_first_is_rolled_back(
    conn: Connection[Any],
    connect: Callable[..., Connection[Any]],
    wait_until_blocked: Callable[..., None],
) -> None:
    register(conn)
    first, second = connect(), connect()
    first.execute("begin")
    create(first)
    with ThreadPoolExecutor(1) as pool:
        outcome = pool.submit(create, second)
        wait_until_blocked(conn, second.info.backend_pid)
        first.execute("rollback")
        second_id = outcome.result()
    assert conn.execute("select id from pgbackfill.active_backfills").fetchall() == [(second_id,)]


def test_two_dags_do_not_wait_for_each_other(conn: Connection[Any], connect: Callable[..., Connection[Any]]) -> None:
    register(conn, "one")
    register(conn, "two")
    holder = connect()
    holder.execute("begin")
    create(holder, "one")
    conn.execute("set lock_timeout = '1ms'")
    assert create(conn, "two")
    holder.execute("rollback")
