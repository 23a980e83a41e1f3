"""`events`: what happens to backfills, as it happens, none left out and none twice."""

from __future__ import annotations

import selectors
import time
from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import Any

import psycopg

from pgbackfill._sync import events_after
from pgbackfill.models import Event

CHANNEL = "pgbackfill"

# A notification only wakes the reader, and is not relied upon: a connection pooler may lose it, and a transaction that
# is waited for and rolled back sends none. So it looks from time to time as well.
LOOK_SECONDS = 5.0

RECONNECT_SECONDS = 60.0
_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 5.0


@dataclass
class Reading:
    """How far a reader of events is, and when it has enough."""

    backfill_id: int | None
    dag_id: str | None
    after: int
    timeout: float | None
    left: int | None
    woken: bool = False
    since: float = field(default_factory=time.monotonic)

    def arguments(self) -> dict[str, Any]:
        """Those of `events_after` for the next look. What wakes the reader from here on calls for another one."""
        self.woken = False
        return {"after": self.after, "backfill_id": self.backfill_id, "dag_id": self.dag_id}

    def wake(self, _: psycopg.Notify) -> None:
        self.woken = True

    def count(self, event: Event) -> None:
        """`event` is given to the caller, who will not see it again."""
        self.after = event.id
        if self.left is not None:
            self.left -= 1

    @property
    def has_enough(self) -> bool:
        return self.left is not None and self.left <= 0

    def start_waiting(self) -> None:
        self.since = time.monotonic()

    @property
    def patience(self) -> float:
        """Seconds until the next look; 0 when nothing has come for too long."""
        if self.timeout is None:
            return LOOK_SECONDS
        return max(0.0, min(LOOK_SECONDS, self.since + self.timeout - time.monotonic()))


def events(
    conn_or_dsn: psycopg.Connection[Any] | str,
    /,
    *,
    backfill_id: int | None = None,
    dag_id: str | None = None,
    after: int | None = None,
    timeout: float | None = None,
    stop_after: int | None = None,
) -> Generator[Event, None, None]:
    """Every event of `pgbackfill.event`, first those that are there, then each one as it is committed.

    conn_or_dsn: a psycopg Connection in autocommit (else ValueError) that nobody else uses meanwhile, or a DSN. With a
      DSN the connection is the iterator's own, and is made again when it is lost; after a minute of trying in vain the
      driver's error is raised. With a connection of yours, its loss is the driver's error: go on with `after`.
    backfill_id, dag_id: only the events of this backfill, or of this DAG.
    after: the `id` of the last event that you have seen; None starts with the oldest one that is kept. An id is all
      that a caller keeps in order to go on later, in another process or after a crash.
    timeout: end once no event has come for so many seconds; 0 gives what is there, and None never ends.
    stop_after: end after so many events.

    Each event comes exactly once, in the order of its `id`, which for one backfill is the order in which things
    happened. It is the table that is read: a `NOTIFY` only says that it is time to look, so one that is lost (by a
    pooler, or while there is no connection) delays an event by 5 seconds at most and loses none.

    Ids are drawn when an event is written and seen when it is committed, so a lower one may become visible later. An
    event is therefore held back until every transaction that could bring a lower id has ended, which the locks on the
    table tell. So a transaction that has written an event and stays open delays all later events until it ends; any
    other transaction, however long, delays nothing. (A watermark of transaction ids, as other outboxes have it, would
    be held up by every writer in the whole cluster, and does not survive a dump and restore, after which transaction
    ids begin anew.)

    Needs `usage` on the schema and `execute` on the function `pgbackfill.events_after`. Not on a hot standby.

    Raises InvalidArgument (PB016) where the connection's isolation level is above READ COMMITTED, ValueError.
    """
    reading = start_reading(backfill_id, dag_id, after, timeout, stop_after)
    if isinstance(conn_or_dsn, str):
        return _reconnecting(conn_or_dsn, reading)
    if not isinstance(conn_or_dsn, psycopg.Connection):
        raise TypeError(f"expected a psycopg Connection or a DSN, not {type(conn_or_dsn)}")
    refuse_transactions(conn_or_dsn)
    return _follow(conn_or_dsn, reading)


def start_reading(
    backfill_id: int | None, dag_id: str | None, after: int | None, timeout: float | None, stop_after: int | None
) -> Reading:
    if timeout is not None and timeout < 0:
        raise ValueError("timeout must not be negative")
    if stop_after is not None and stop_after < 1:
        raise ValueError("stop_after must be positive")
    return Reading(backfill_id, dag_id, after or 0, timeout, stop_after)


def refuse_transactions(connection: psycopg.Connection[Any] | psycopg.AsyncConnection[Any]) -> None:
    if not connection.autocommit:
        raise ValueError("the connection must be in autocommit: within a transaction no notification arrives")


def pauses() -> Iterator[float]:
    """How long to wait before each attempt to connect again, until it is no use any more."""
    deadline = time.monotonic() + RECONNECT_SECONDS
    pause = _FIRST_PAUSE_SECONDS
    while time.monotonic() < deadline:
        yield pause
        pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)


def _reconnecting(dsn: str, reading: Reading) -> Generator[Event, None, None]:
    conn = _connect(dsn)
    while True:
        with closing(conn):
            try:
                yield from _follow(conn, reading)
                return
            except psycopg.Error as exc:
                if not conn.closed:
                    raise
                lost = exc
        conn = _reconnect(dsn, lost)


def _connect(dsn: str) -> psycopg.Connection[Any]:
    conn: psycopg.Connection[Any] = psycopg.connect(dsn, autocommit=True, prepare_threshold=None)
    conn.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
    return conn


def _reconnect(dsn: str, lost: psycopg.Error) -> psycopg.Connection[Any]:
    for pause in pauses():
        time.sleep(pause)
        try:
            return _connect(dsn)
        except psycopg.OperationalError as exc:
            lost = exc
    raise lost


def _follow(conn: psycopg.Connection[Any], reading: Reading) -> Generator[Event, None, None]:
    conn.add_notify_handler(reading.wake)
    try:
        conn.execute(f"listen {CHANNEL}")
        reading.start_waiting()
        while True:
            found = events_after(conn, **reading.arguments())
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
                _wait_for_news(conn, patience)
    finally:
        conn.remove_notify_handler(reading.wake)
        with suppress(psycopg.Error):
            conn.execute(f"unlisten {CHANNEL}")


def _wait_for_news(conn: psycopg.Connection[Any], seconds: float) -> None:
    """Return when the server has said something, which the next statement will read, or after `seconds`."""
    with selectors.DefaultSelector() as selector:
        selector.register(conn.fileno(), selectors.EVENT_READ)
        selector.select(seconds)
