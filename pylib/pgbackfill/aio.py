"""The same functions, awaited: on psycopg's AsyncConnection, or SQLAlchemy's AsyncConnection or AsyncSession.

    from pgbackfill import aio

    async with await psycopg.AsyncConnection.connect(dsn) as conn:
        backfill = await aio.create_backfill(conn, "sales", from_date, to_date)

What each of them promises is written at the function of the same name in `pgbackfill`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeAlias, TypeVar

import psycopg
from psycopg.rows import tuple_row

from pgbackfill import _calls
from pgbackfill._calls import Call
from pgbackfill._events import CHANNEL, Reading, pauses, refuse_transactions, start_reading
from pgbackfill._sync import _text, present
from pgbackfill.errors import translated
from pgbackfill.models import Event

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection as SqlAlchemyConnection
    from sqlalchemy.ext.asyncio import AsyncSession

    Connection: TypeAlias = psycopg.AsyncConnection[Any] | SqlAlchemyConnection | AsyncSession

P = ParamSpec("P")
T = TypeVar("T")


async def _fetch(conn: Connection, call: Call[Any]) -> Sequence[Sequence[Any]]:
    """Run `call` in the caller's transaction. Never opens, commits, rolls back or retries."""
    with translated():
        if isinstance(conn, psycopg.AsyncConnection):
            async with conn.cursor(row_factory=tuple_row) as cursor:
                await cursor.execute(call.sql.encode(), call.parameters)
                return await cursor.fetchall()
        result = await _sqlalchemy(conn).execute(_text(call), call.parameters)
        rows: Sequence[Sequence[Any]] = result.fetchall()
        return rows


def _sqlalchemy(conn: Any) -> Any:
    from sqlalchemy.ext.asyncio import AsyncConnection as SqlAlchemyConnection
    from sqlalchemy.ext.asyncio import AsyncSession

    if not isinstance(conn, (SqlAlchemyConnection, AsyncSession)):
        raise TypeError(
            "expected a psycopg AsyncConnection, or a SQLAlchemy AsyncConnection or AsyncSession, "
            f"not {type(conn).__qualname__}"
        )
    return conn


def _one(call: Callable[P, Call[T]]) -> Callable[Concatenate[Connection, P], Coroutine[Any, Any, T]]:
    async def wrapper(conn: Connection, /, *args: P.args, **kwargs: P.kwargs) -> T:
        prepared = call(*args, **kwargs)
        return prepared.one(await _fetch(conn, prepared))

    return present(wrapper, call, connection="Connection", returns="{}")


def _many(call: Callable[P, Call[T]]) -> Callable[Concatenate[Connection, P], Coroutine[Any, Any, list[T]]]:
    async def wrapper(conn: Connection, /, *args: P.args, **kwargs: P.kwargs) -> list[T]:
        prepared = call(*args, **kwargs)
        return prepared.many(await _fetch(conn, prepared))

    return present(wrapper, call, connection="Connection", returns="list[{}]")


timetable_infos = _many(_calls.timetable_infos)
dag_run_infos = _many(_calls.dag_run_infos)
plan_backfill = _many(_calls.plan_backfill)
create_backfill = _one(_calls.create_backfill)
pause_backfill = _one(_calls.pause_backfill)
unpause_backfill = _one(_calls.unpause_backfill)
cancel_backfill = _one(_calls.cancel_backfill)
set_failure_policy = _one(_calls.set_failure_policy)
mark_backfills_complete = _many(_calls.mark_backfills_complete)
reap_abandoned_backfills = _many(_calls.reap_abandoned_backfills)
start_queued_dag_runs = _many(_calls.start_queued_dag_runs)
finish_dag_run = _one(_calls.finish_dag_run)
register_dag = _one(_calls.register_dag)
list_backfills = _many(_calls.list_backfills)
get_backfill = _one(_calls.get_backfill)
backfill_progress = _one(_calls.backfill_progress)
backfill_dag_runs = _many(_calls.backfill_dag_runs)
events_after = _many(_calls.events_after)


def events(
    conn_or_dsn: psycopg.AsyncConnection[Any] | str,
    /,
    *,
    backfill_id: int | None = None,
    dag_id: str | None = None,
    after: int | None = None,
    timeout: float | None = None,
    stop_after: int | None = None,
) -> AsyncGenerator[Event, None]:
    """Every event, as `pgbackfill.events` yields them: `async for event in aio.events(dsn): ...`.

    With a DSN, close it when you leave the loop early (`contextlib.aclosing`), or its connection stays until it is
    garbage. The event loop must have `add_reader`.
    """
    reading = start_reading(backfill_id, dag_id, after, timeout, stop_after)
    if isinstance(conn_or_dsn, str):
        return _reconnecting(conn_or_dsn, reading)
    if not isinstance(conn_or_dsn, psycopg.AsyncConnection):
        raise TypeError(f"expected a psycopg AsyncConnection or a DSN, not {type(conn_or_dsn)}")
    refuse_transactions(conn_or_dsn)
    return _follow(conn_or_dsn, reading)


async def _reconnecting(dsn: str, reading: Reading) -> AsyncGenerator[Event, None]:
    conn = await _connect(dsn)
    while True:
        try:
            async with aclosing(_follow(conn, reading)) as found:
                async for event in found:
                    yield event
            return
        except psycopg.Error as exc:
            if not conn.closed:
                raise
            lost = exc
        finally:
            await conn.close()
        conn = await _reconnect(dsn, lost)


async def _connect(dsn: str) -> psycopg.AsyncConnection[Any]:
    conn: psycopg.AsyncConnection[Any] = await psycopg.AsyncConnection.connect(
        dsn, autocommit=True, prepare_threshold=None
    )
    await conn.set_isolation_level(psycopg.IsolationLevel.READ_COMMITTED)
    return conn


async def _reconnect(dsn: str, lost: psycopg.Error) -> psycopg.AsyncConnection[Any]:
    for pause in pauses():
        await asyncio.sleep(pause)
        try:
            return await _connect(dsn)
        except psycopg.OperationalError as exc:
            lost = exc
    raise lost


async def _follow(conn: psycopg.AsyncConnection[Any], reading: Reading) -> AsyncGenerator[Event, None]:
    conn.add_notify_handler(reading.wake)
    try:
        await conn.execute(f"listen {CHANNEL}")
        reading.start_waiting()
        while True:
            found = await events_after(conn, **reading.arguments())
            for event in found:
                reading.count(event)
                yield event
                if reading.has_enough:
                    return
                reading.start_waiting()
            if not found and not reading.woken:
                patience = reading.patience
                if not patience:
                    return
                await _wait_for_news(conn, patience)
    finally:
        conn.remove_notify_handler(reading.wake)
        with suppress(psycopg.Error):
            await conn.execute(f"unlisten {CHANNEL}")


async def _wait_for_news(conn: psycopg.AsyncConnection[Any], seconds: float) -> None:
    """Return when the server has said something, which the next statement will read, or after `seconds`."""
    loop = asyncio.get_running_loop()
    news = asyncio.Event()
    descriptor = conn.fileno()
    loop.add_reader(descriptor, news.set)
    try:
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(news.wait(), seconds)
    finally:
        loop.remove_reader(descriptor)
