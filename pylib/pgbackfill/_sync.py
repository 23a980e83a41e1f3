"""The public functions on a blocking connection: psycopg's, or SQLAlchemy's connection or session (1.4 and 2.x)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeAlias, TypeVar

import psycopg
from psycopg.rows import tuple_row

from pgbackfill import _calls
from pgbackfill._calls import Call
from pgbackfill.errors import translated

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection as SqlAlchemyConnection
    from sqlalchemy.orm import Session, scoped_session

    Connection: TypeAlias = psycopg.Connection[Any] | SqlAlchemyConnection | Session | scoped_session[Any]

P = ParamSpec("P")
T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


def _fetch(conn: Connection, call: Call[Any]) -> Sequence[Sequence[Any]]:
    """Run `call` in the caller's transaction. Never opens, commits, rolls back or retries."""
    with translated():
        if isinstance(conn, psycopg.Connection):
            with conn.cursor(row_factory=tuple_row) as cursor:
                return cursor.execute(call.sql.encode(), call.parameters).fetchall()
        rows: Sequence[Sequence[Any]] = _sqlalchemy(conn).execute(_text(call), call.parameters).fetchall()
        return rows


def _sqlalchemy(conn: Any) -> Any:
    from sqlalchemy.engine import Connection as SqlAlchemyConnection
    from sqlalchemy.orm import Session, scoped_session

    if not isinstance(conn, (SqlAlchemyConnection, Session, scoped_session)):
        raise TypeError(
            f"expected a psycopg Connection, or a SQLAlchemy Connection or Session, not {type(conn).__qualname__}"
        )
    return conn


def _text(call: Call[Any]) -> Any:
    from sqlalchemy import text

    return text(call.text)


def present(wrapper: F, call: Callable[..., Call[Any]], *, connection: str, returns: str) -> F:
    """Give `wrapper` the name, docstring and signature of `call`, with the connection in front."""
    signature = inspect.signature(call)
    conn = inspect.Parameter("conn", inspect.Parameter.POSITIONAL_ONLY, annotation=connection)
    model = str(signature.return_annotation).removeprefix("Call[").removesuffix("]")
    wrapper.__name__ = wrapper.__qualname__ = call.__name__
    wrapper.__doc__ = call.__doc__
    wrapper.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[conn, *signature.parameters.values()], return_annotation=returns.format(model)
    )
    return wrapper


def _one(call: Callable[P, Call[T]]) -> Callable[Concatenate[Connection, P], T]:
    def wrapper(conn: Connection, /, *args: P.args, **kwargs: P.kwargs) -> T:
        prepared = call(*args, **kwargs)
        return prepared.one(_fetch(conn, prepared))

    return present(wrapper, call, connection="Connection", returns="{}")


def _many(call: Callable[P, Call[T]]) -> Callable[Concatenate[Connection, P], list[T]]:
    def wrapper(conn: Connection, /, *args: P.args, **kwargs: P.kwargs) -> list[T]:
        prepared = call(*args, **kwargs)
        return prepared.many(_fetch(conn, prepared))

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
