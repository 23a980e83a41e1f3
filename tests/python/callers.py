"""The public functions on every kind of connection, behind one face, so that a test can be run on all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

import pgbackfill
import psycopg
from pgbackfill import aio
from psycopg.rows import dict_row
from sqlalchemy.engine import create_engine
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.orm import Session, scoped_session, sessionmaker
from sqlalchemy.pool import NullPool


class Caller(Protocol):
    """Calls public functions by name in one transaction, which `rollback` and `close` end without a commit."""

    def __call__(self, function: str, *args: Any, **options: Any) -> Any: ...
    def rollback(self) -> None: ...
    def close(self) -> None: ...


class Blocking:
    """On a connection or session of psycopg or SQLAlchemy."""

    def __init__(self, connection: Any, *then: Callable[[], Any]) -> None:
        self.connection = connection
        self.then = then

    def __call__(self, function: str, *args: Any, **options: Any) -> Any:
        return getattr(pgbackfill, function)(self.connection, *args, **options)

    def rollback(self) -> None:
        self.connection.rollback()

    def close(self) -> None:
        self.connection.close()
        for step in self.then:
            step()


class Pipelined(Blocking):
    """In psycopg's pipeline mode."""

    def __call__(self, function: str, *args: Any, **options: Any) -> Any:
        with self.connection.pipeline():
            return super().__call__(function, *args, **options)


class Awaited:
    """On an asynchronous connection or session, driven from a blocking test."""

    def __init__(self, connect: Callable[[], Coroutine[Any, Any, tuple[Any, list[Any]]]]) -> None:
        self.loop = asyncio.new_event_loop()
        self.connection, self.then = self.loop.run_until_complete(connect())

    def __call__(self, function: str, *args: Any, **options: Any) -> Any:
        return self.loop.run_until_complete(getattr(aio, function)(self.connection, *args, **options))

    def rollback(self) -> None:
        self.loop.run_until_complete(self.connection.rollback())

    def close(self) -> None:
        self.loop.run_until_complete(self.connection.close())
        for step in self.then:
            self.loop.run_until_complete(step())
        self.loop.close()


def psycopg_connection(dsn: str) -> Caller:
    return Blocking(psycopg.connect(dsn))


def psycopg_dict_rows(dsn: str) -> Caller:
    return Blocking(psycopg.connect(dsn, row_factory=dict_row))


def psycopg_client_cursor(dsn: str) -> Caller:
    return Blocking(psycopg.connect(dsn, cursor_factory=psycopg.ClientCursor))


def psycopg_pipeline(dsn: str) -> Caller:
    return Pipelined(psycopg.connect(dsn))


def psycopg_async(dsn: str) -> Caller:
    async def connect() -> tuple[Any, list[Any]]:
        return await psycopg.AsyncConnection.connect(dsn), []

    return Awaited(connect)


def sqlalchemy_psycopg(dsn: str) -> Caller:
    engine = _engine("psycopg", dsn)
    return Blocking(engine.connect(), engine.dispose)


def sqlalchemy_psycopg2(dsn: str) -> Caller:
    engine = _engine("psycopg2", dsn)
    return Blocking(engine.connect(), engine.dispose)


def sqlalchemy_session(dsn: str) -> Caller:
    engine = _engine("psycopg", dsn)
    return Blocking(Session(engine), engine.dispose)


def sqlalchemy_scoped_session(dsn: str) -> Caller:
    engine = _engine("psycopg2", dsn)
    return Blocking(scoped_session(sessionmaker(engine)), engine.dispose)


def sqlalchemy_async(dsn: str) -> Caller:
    async def connect() -> tuple[Any, list[Any]]:
        engine = create_async_engine(_url("psycopg", dsn), poolclass=NullPool)
        return await engine.connect(), [engine.dispose]

    return Awaited(connect)


def sqlalchemy_async_session(dsn: str) -> Caller:
    async def connect() -> tuple[Any, list[Any]]:
        engine = create_async_engine(_url("asyncpg", dsn), poolclass=NullPool)
        return AsyncSession(engine), [engine.dispose]

    return Awaited(connect)


def _engine(driver: str, dsn: str) -> Any:
    return create_engine(_url(driver, dsn), poolclass=NullPool)


def _url(driver: str, dsn: str) -> Any:
    from sqlalchemy.engine import URL

    parts = psycopg.conninfo.conninfo_to_dict(dsn)
    port = parts.get("port")
    return URL.create(
        f"postgresql+{driver}",
        username=_text(parts.get("user")),
        password=_text(parts.get("password")),
        host=_text(parts.get("host")),
        port=int(port) if port else None,
        database=_text(parts.get("dbname")),
    )


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


KINDS: list[Callable[[str], Caller]] = [
    psycopg_connection,
    psycopg_dict_rows,
    psycopg_client_cursor,
    psycopg_pipeline,
    psycopg_async,
    sqlalchemy_psycopg,
    sqlalchemy_psycopg2,
    sqlalchemy_session,
    sqlalchemy_scoped_session,
    sqlalchemy_async,
    sqlalchemy_async_session,
]
