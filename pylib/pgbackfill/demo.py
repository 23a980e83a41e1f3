"""The story of a backfill in under a minute, on a database that nobody minds: what `pgbackfill demo` shows."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

import psycopg

import pgbackfill
from pgbackfill.models import BackfillProgress, BackfillState, DagRunState, PlannedSlot, RegisteredDag

DAG_ID = "nightly_sales"
SCHEDULE = "30 2 * * *"
ZONE = "Europe/Berlin"
WORKERS = 4
MAX_ACTIVE_RUNS = 8
UNLUCKY_DAY = 13

_WORK_SECONDS = 0.02
_LOOK_SECONDS = 0.1


class NotEmpty(Exception):
    """The demo needs a database of its own."""


@dataclass(frozen=True, slots=True)
class LocalSlot:
    """A planned slot with its time on the wall of the schedule's zone, and that zone's offset from UTC then."""

    planned: PlannedSlot
    logical_date: datetime
    wall_clock: str
    offset: timedelta


@contextmanager
def installed(dsn: str, *, keep: bool) -> Iterator[None]:
    """pgbackfill in the empty database `dsn`, taken out again at the end unless it is to be kept."""
    from pgbackfill import migrate

    with psycopg.connect(dsn) as conn:
        row = conn.execute(
            "select count(*) from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace"
            " or c.relnamespace = to_regnamespace('pgbackfill')"
        ).fetchone()
    if row is None or row[0]:
        raise NotEmpty("the database has tables already; the demo needs an empty one")
    migrate.upgrade(dsn)
    try:
        yield
    finally:
        if not keep:
            migrate.downgrade(dsn, drop_data=True)


def last_year() -> tuple[datetime, datetime]:
    """The last whole year in UTC: its slots have all ended, and both changes of the clocks are in it."""
    year = datetime.now(timezone.utc).year - 1
    return datetime(year, 1, 1, tzinfo=timezone.utc), datetime(year + 1, 1, 1, tzinfo=timezone.utc)


def register(dsn: str) -> RegisteredDag:
    with psycopg.connect(dsn) as conn:
        return pgbackfill.register_dag(conn, DAG_ID, SCHEDULE, timezone=ZONE)


def plan(dsn: str) -> list[LocalSlot]:
    """The dry run, each slot with its local time as PostgreSQL's own time zones have it."""
    with psycopg.connect(dsn) as conn:
        slots = pgbackfill.plan_backfill(conn, DAG_ID, *last_year())
        local = conn.execute(
            "select t, to_char(w, 'Dy DD Mon HH24:MI'), w - t at time zone 'UTC'"
            " from unnest(%s::timestamptz[]) with ordinality as u(t, position)"
            " cross join lateral (select t at time zone %s) as l(w)"
            " order by position",
            [[s.logical_date for s in slots], ZONE],
        ).fetchall()
    return [LocalSlot(planned, *columns) for planned, columns in zip(slots, local, strict=True)]


def around_changes(slots: list[LocalSlot]) -> list[list[LocalSlot]]:
    """Around each change of the clocks: the slots of the day before, of the day itself and of the day after."""
    changes = [i for i in range(1, len(slots)) if slots[i].offset != slots[i - 1].offset]
    return [slots[max(i - 2, 0) : i + 2] for i in changes]


def create(dsn: str) -> tuple[BackfillState, float]:
    """A year of runs in one transaction, and the seconds that it took to commit."""
    with psycopg.connect(dsn) as conn:
        started = time.perf_counter()
        backfill = pgbackfill.create_backfill(
            conn, DAG_ID, *last_year(), max_active_runs=MAX_ACTIVE_RUNS, triggering_user_name="demo"
        )
        conn.commit()
        return backfill, time.perf_counter() - started


def work(dsn: str, backfill_id: int) -> Iterator[BackfillProgress]:
    """Let the workers run everything; yields the progress until nothing is left to do."""
    done = threading.Event()
    with ThreadPoolExecutor(WORKERS) as pool, psycopg.connect(dsn, autocommit=True) as conn:
        workers = [pool.submit(_work, dsn, done) for _ in range(WORKERS)]
        try:
            while not any(w.done() for w in workers):
                progress = pgbackfill.backfill_progress(conn, backfill_id)
                yield progress
                if not progress.queued and not progress.running:
                    break
                time.sleep(_LOOK_SECONDS)
        finally:
            done.set()
        for worker in workers:
            worker.result()


def complete(dsn: str) -> list[BackfillState]:
    """What Airflow's scheduler does every 30 seconds, and a service with workers of its own from time to time."""
    with psycopg.connect(dsn) as conn:
        return pgbackfill.mark_backfills_complete(conn)


def _work(dsn: str, done: threading.Event) -> None:
    """A worker as a service would write it: claim a run, commit, do it, say how it ended, commit."""
    with psycopg.connect(dsn) as conn:
        while not done.is_set():
            claimed = pgbackfill.start_queued_dag_runs(conn, max_dag_runs=1)
            conn.commit()
            for run in claimed:
                assert run.dag_run_id is not None
                pgbackfill.finish_dag_run(conn, run.dag_run_id, "success" if _do(run) else "failed")
                conn.commit()
            if not claimed:
                done.wait(_WORK_SECONDS)


def _do(run: DagRunState) -> bool:
    """The work: it takes a moment, and it fails on one day of each month."""
    time.sleep(_WORK_SECONDS)
    return run.logical_date is not None and run.logical_date.day != UNLUCKY_DAY
