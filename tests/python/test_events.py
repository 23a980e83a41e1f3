"""`events` gives every event once and in order, however commits and connections behave."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import aclosing
from datetime import timezone
from typing import Any, Protocol

import pgbackfill
import psycopg
import pytest
from pgbackfill import Event, _events, aio
from psycopg import Connection
from support.dags import create, register

Connect = Callable[..., Connection[Any]]


class Reader(Protocol):
    """Collects what the iterator yields."""

    def __call__(
        self, dsn: str, *, own: bool = False, collect: list[Event] | None = None, **options: Any
    ) -> list[Event]: ...


def blocking(dsn: str, *, own: bool = False, collect: list[Event] | None = None, **options: Any) -> list[Event]:
    collected = [] if collect is None else collect
    if own:
        collected.extend(e for e in pgbackfill.events(dsn, **options))
        return collected
    with psycopg.connect(dsn, autocommit=True) as conn:
        for event in pgbackfill.events(conn, **options):
            collected.append(event)
    return collected


def awaited(dsn: str, *, own: bool = False, collect: list[Event] | None = None, **options: Any) -> list[Event]:
    collected = [] if collect is None else collect

    async def read() -> None:
        if own:
            async for event in aio.events(dsn, **options):
                collected.append(event)
            return
        async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as conn:
            async for event in aio.events(conn, **options):
                collected.append(event)

    asyncio.run(read())
    return collected


@pytest.fixture(params=[blocking, awaited], ids=["sync", "async"])
def read(request: Any) -> Reader:
    reader: Reader = request.param
    return reader


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as executor:
        yield executor


@pytest.fixture(autouse=True)
def dags(conn: Connection[Any]) -> None:
    for dag_id in ("a", "b", "c"):
        register(conn, dag_id)


def brief(events: list[Event]) -> list[tuple[str, str]]:
    return [(e.dag_id, e.event) for e in events]


def wait_until_listening(conn: Connection[Any], number: int = 1) -> list[int]:
    """The backends that have looked after LISTEN and now wait for news."""
    while True:
        pids = conn.execute(
            "select pid from pg_stat_activity where datname = current_database() and state = 'idle' "
            "and query like '%events_after%' and pid <> pg_backend_pid()"
        ).fetchall()
        if len(pids) >= number:
            return [pid for (pid,) in pids]
        time.sleep(0.01)


def test_what_is_there(read: Reader, conn: Connection[Any], dsn: str) -> None:
    conn.execute(
        "do $$ begin execute format('alter database %I set timezone = ''Asia/Kathmandu''', current_database()); end $$"
    )
    create(conn, "a")
    create(conn, "b")
    pgbackfill.cancel_backfill(conn, 2)
    events = read(dsn, timeout=0)
    assert brief(events) == [(d, e) for d in "ab" for e in ("created", "initialized")] + [("b", "cancelled")]
    assert [e.id for e in events] == sorted(e.id for e in events)
    assert events[0] == Event(events[0].id, 1, "a", "created", events[0].occurred_at, {})
    assert events[0].occurred_at.tzinfo is timezone.utc
    assert read(dsn, timeout=0, after=events[1].id) == events[2:]
    assert brief(read(dsn, timeout=0, dag_id="b", stop_after=2)) == [("b", "created"), ("b", "initialized")]
    assert {e.backfill_id for e in read(dsn, timeout=0, backfill_id=1)} == {1}
    assert read(dsn, own=True, timeout=0) == events
    assert pgbackfill.events_after(conn, after=events[3].id) == events[4:]


def test_what_comes_is_given_at_once(
    read: Reader, conn: Connection[Any], dsn: str, pool: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_events, "LOOK_SECONDS", 60.0)  # so that it is the notification that wakes it
    reading = pool.submit(read, dsn, stop_after=5, timeout=30)
    wait_until_listening(conn)
    create(conn, "a")
    wait_until_listening(conn)
    pgbackfill.pause_backfill(conn, 1)
    create(conn, "b")
    assert [e for _, e in brief(reading.result())] == ["created", "initialized", "paused", "created", "initialized"]


def test_commits_out_of_order(
    read: Reader, conn: Connection[Any], connect: Connect, dsn: str, pool: ThreadPoolExecutor
) -> None:
    slow = connect(autocommit=False)
    create(slow, "a")  # draws the lower ids
    collected: list[Event] = []
    reading = pool.submit(read, dsn, collect=collected, stop_after=4, timeout=30)
    create(conn, "b")
    wait_until_listening(conn)  # it has looked, and given up waiting for the slow one
    assert collected == []
    slow.commit()
    assert [d for d, _ in brief(reading.result())] == ["a", "a", "b", "b"]


def test_a_rollback_sends_no_notification_and_holds_up_nothing_for_long(
    read: Reader,
    conn: Connection[Any],
    connect: Connect,
    dsn: str,
    pool: ThreadPoolExecutor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_events, "LOOK_SECONDS", 0.2)
    slow = connect(autocommit=False)
    create(slow, "a")
    create(conn, "b")
    reading = pool.submit(read, dsn, stop_after=2, timeout=30)
    wait_until_listening(conn)
    slow.rollback()
    assert brief(reading.result()) == [("b", "created"), ("b", "initialized")]


def test_a_lost_connection_of_its_own_is_made_again_and_nothing_is_lost(
    read: Reader, conn: Connection[Any], dsn: str, pool: ThreadPoolExecutor
) -> None:
    reading = pool.submit(read, dsn, own=True, stop_after=6, timeout=30)
    for dag_id in ("a", "b", "c"):
        for pid in wait_until_listening(conn):
            conn.execute("select pg_terminate_backend(%s, 5000)", [pid])
        create(conn, dag_id)  # while there is nobody to be notified
    assert [d for d, _ in brief(reading.result())] == ["a", "a", "b", "b", "c", "c"]


def test_a_lost_connection_of_the_callers_is_his_error_and_he_can_go_on(
    read: Reader, conn: Connection[Any], dsn: str, pool: ThreadPoolExecutor
) -> None:
    create(conn, "a")
    collected: list[Event] = []
    reading: Future[Any] = pool.submit(read, dsn, collect=collected, timeout=30)
    (pid,) = wait_until_listening(conn)
    conn.execute("select pg_terminate_backend(%s, 5000)", [pid])
    with pytest.raises(psycopg.OperationalError):
        reading.result()
    create(conn, "b")
    collected += read(dsn, after=collected[-1].id, timeout=0)
    assert [d for d, _ in brief(collected)] == ["a", "a", "b", "b"]


def test_a_server_that_stays_away_is_an_error_in_the_end(
    read: Reader,
    conn: Connection[Any],
    admin: Connection[Any],
    dsn: str,
    pool: ThreadPoolExecutor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_events, "RECONNECT_SECONDS", 0.3)
    reading = pool.submit(read, dsn, own=True, timeout=30)
    (pid,) = wait_until_listening(conn)
    name = conn.info.dbname
    admin.execute(f"alter database {name} allow_connections false")
    try:
        conn.execute("select pg_terminate_backend(%s, 5000)", [pid])
        with pytest.raises(psycopg.OperationalError, match="not currently accepting connections"):
            reading.result()
    finally:
        admin.execute(f"alter database {name} allow_connections true")


def test_it_ends_when_nothing_comes(read: Reader, conn: Connection[Any], dsn: str) -> None:
    create(conn, "a")
    started = time.monotonic()
    assert len(read(dsn, timeout=0.3)) == 2
    assert 0.3 <= time.monotonic() - started < 5


def test_the_callers_connection_is_left_as_it_was(conn: Connection[Any]) -> None:
    create(conn, "a")
    for _ in pgbackfill.events(conn):
        break  # the iterator is closed with what it still had
    assert conn.execute("select pg_listening_channels()").fetchall() == []
    assert not conn.closed


def test_leaving_early_closes_a_connection_of_its_own(conn: Connection[Any], dsn: str) -> None:
    create(conn, "a")

    async def leave() -> None:
        async with aclosing(aio.events(dsn)) as events:
            async for _ in events:
                break

    asyncio.run(leave())
    for _ in pgbackfill.events(dsn):
        break
    left = "select count(*) from pg_stat_activity where datname = current_database() and query like '%events_after%' and pid <> pg_backend_pid()"
    for _ in range(500):
        if conn.execute(left).fetchone() == (0,):
            return
        time.sleep(0.01)
    raise AssertionError("a connection is left")


def test_an_awaited_one_can_be_cancelled(conn: Connection[Any], dsn: str) -> None:
    async def cancel() -> None:
        async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as own:

            async def follow() -> None:
                async for _ in aio.events(own):
                    pass

            task = asyncio.create_task(follow())
            await asyncio.sleep(0.3)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await (await own.execute("select pg_listening_channels()")).fetchall() == []

    asyncio.run(cancel())


def test_the_loop_runs_on_while_one_waits(conn: Connection[Any], dsn: str) -> None:
    async def both() -> int:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0.01)

        ticking = asyncio.create_task(tick())
        async for _ in aio.events(dsn, timeout=0.5):
            pass
        ticking.cancel()
        return ticks

    assert asyncio.run(both()) > 10


@pytest.mark.parametrize("own", [True, False])
def test_everything_that_many_writers_do_arrives(read: Reader, conn: Connection[Any], dsn: str, own: bool) -> None:
    names = [f"w{n}" for n in range(6)]
    for name in names:
        register(conn, name)
    collected: list[Event] = []

    def write(name: str) -> None:
        with psycopg.connect(dsn) as writer:
            for round_ in range(6):
                backfill_id = create(writer, name)
                writer.execute("select pg_sleep(%s)", [(hash((name, round_)) % 5) / 200])
                writer.commit()
                pgbackfill.cancel_backfill(writer, backfill_id)
                if round_ % 3 == 2:
                    writer.rollback()
                    pgbackfill.cancel_backfill(writer, backfill_id)
                writer.commit()

    def kill() -> None:
        for _ in range(5):
            time.sleep(0.05)
            if own:
                conn.execute(
                    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() "
                    "and query like '%events_after%' and pid <> pg_backend_pid()"
                )

    threads = [threading.Thread(target=write, args=[name]) for name in names] + [threading.Thread(target=kill)]
    for thread in threads:
        thread.start()
    read(dsn, own=own, collect=collected, stop_after=6 * 6 * 3, timeout=60)
    for thread in threads:
        thread.join()
    rows = conn.execute("select id from pgbackfill.event order by id").fetchall()
    assert [(e.id,) for e in collected] == rows


def test_what_it_refuses(conn: Connection[Any], connect: Connect, dsn: str) -> None:
    with pytest.raises(ValueError, match="autocommit"):
        pgbackfill.events(connect(autocommit=False))
    with pytest.raises(ValueError, match="timeout"):
        pgbackfill.events(dsn, timeout=-1)
    with pytest.raises(ValueError, match="stop_after"):
        pgbackfill.events(dsn, stop_after=0)
    with pytest.raises(TypeError, match="psycopg Connection or a DSN"):
        pgbackfill.events(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="psycopg AsyncConnection or a DSN"):
        aio.events(conn)  # type: ignore[arg-type]
    strict = connect(options="-c default_transaction_isolation=serializable")
    with pytest.raises(pgbackfill.InvalidArgument, match="SERIALIZABLE"):
        next(iter(pgbackfill.events(strict)))
