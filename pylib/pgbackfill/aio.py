"""The same functions, awaited: on psycopg's AsyncConnection, or SQLAlchemy's AsyncConnection or AsyncSession.

    from pgbackfill import aio

    async with await psycopg.AsyncConnection.connect(dsn) as conn:
        backfill = await aio.create_backfill(conn, "sales", from_date, to_date)

What each of them promises is written at the function of the same name in `pgbackfill`.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeAlias, TypeVar

import psycopg
from psycopg.rows import tuple_row

from pgbackfill import _calls
from pgbackfill._calls import Call
from pgbackfill._sync import _text, present
from pgbackfill.errors import translated

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
mark_backfills_complete = _many(_calls.mark_backfills_complete)
reap_abandoned_backfills = _many(_calls.reap_abandoned_backfills)
start_queued_dag_runs = _many(_calls.start_queued_dag_runs)
finish_dag_run = _one(_calls.finish_dag_run)
register_dag = _one(_calls.register_dag)
list_backfills = _many(_calls.list_backfills)
get_backfill = _one(_calls.get_backfill)
backfill_progress = _one(_calls.backfill_progress)
backfill_dag_runs = _many(_calls.backfill_dag_runs)
