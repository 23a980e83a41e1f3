"""Each SQLSTATE, really raised by the server, is its exception."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pgbackfill
import psycopg
import pytest
from pgbackfill import errors, migrate
from psycopg import Connection
from support.dags import register, set_dag_attributes, set_tasks

FIRST = datetime(2026, 1, 1, tzinfo=timezone.utc)
LAST = datetime(2026, 1, 3, tzinfo=timezone.utc)
SECOND = timedelta(seconds=1)


def create(conn: Connection[Any], *, dag_id: str = "daily", **options: Any) -> pgbackfill.BackfillState:
    window = {"from_date": FIRST, "to_date": LAST, **options}
    return pgbackfill.create_backfill(conn, dag_id, **window)


def already_running(conn: Connection[Any]) -> None:
    create(conn)
    create(conn)


def non_periodic(conn: Connection[Any]) -> None:
    set_dag_attributes(conn, "daily", timetable={"__type": "airflow.timetables.simple.NullTimetable", "__var": {}})
    create(conn)


def run_type_not_allowed(conn: Connection[Any]) -> None:
    conn.execute("""update dag set allowed_run_types = '["manual"]'""")
    create(conn)


def backwards_on_the_past(conn: Connection[Any]) -> None:
    set_tasks(conn, "daily", {"task_id": "t", "depends_on_past": True})
    create(conn, run_backwards=True)


def none_on_the_past(conn: Connection[Any]) -> None:
    set_tasks(conn, "daily", {"task_id": "t", "depends_on_past": True})
    create(conn)


def completed(conn: Connection[Any]) -> None:
    backfill = create(conn)
    pgbackfill.cancel_backfill(conn, backfill.id)
    pgbackfill.pause_backfill(conn, backfill.id)


def custom_timetable(conn: Connection[Any]) -> None:
    set_dag_attributes(conn, "daily", timetable={"__type": "ours.Lunar", "__var": {}})
    create(conn)


def compressed(conn: Connection[Any]) -> None:
    conn.execute("update serialized_dag set data_compressed = 'x', data = null")
    create(conn)


def key_reused(conn: Connection[Any]) -> None:
    create(conn, idempotency_key="k")
    create(conn, idempotency_key="k", max_active_runs=3)


def locked(conn: Connection[Any]) -> None:
    backfill = create(conn)
    with psycopg.connect(conn.info.dsn, password=conn.info.password) as holder:
        holder.execute("select from backfill for update")
        conn.execute("set lock_timeout = '10ms'")
        pgbackfill.pause_backfill(conn, backfill.id)


REFUSALS: dict[type[errors.PgBackfillError], Callable[[Connection[Any]], object]] = {
    errors.AlreadyRunningBackfill: already_running,
    errors.DagNotFound: lambda conn: create(conn, dag_id="other"),
    errors.DagNonPeriodicSchedule: non_periodic,
    errors.DagRunTypeNotAllowed: run_type_not_allowed,
    errors.InvalidBackfillDirection: backwards_on_the_past,
    errors.InvalidReprocessBehavior: none_on_the_past,
    errors.InvalidBackfillDate: lambda conn: create(
        conn, from_date=FIRST.replace(year=9000), to_date=LAST.replace(year=9000)
    ),
    errors.InvalidBackfillDateRange: lambda conn: create(conn, from_date=LAST, to_date=FIRST),
    errors.InvalidBackfillConf: lambda conn: create(conn, dag_run_conf=[1]),
    errors.NoBackfillRunsToCreate: lambda conn: create(conn, from_date=FIRST + SECOND, to_date=FIRST + 2 * SECOND),
    errors.BackfillNotFound: lambda conn: pgbackfill.unpause_backfill(conn, 99),
    errors.BackfillAlreadyCompleted: completed,
    errors.UnsupportedTimetable: custom_timetable,
    errors.UnsupportedDag: compressed,
    errors.IdempotencyKeyReused: key_reused,
    errors.InvalidArgument: lambda conn: create(conn, max_active_runs=0),
    errors.BackfillLocked: locked,
}


@pytest.mark.parametrize("exception", REFUSALS, ids=lambda e: f"{e.sqlstate}-{e.__name__}")
def test_each_sqlstate_is_its_exception(conn: Connection[Any], exception: type[errors.PgBackfillError]) -> None:
    register(conn)
    with pytest.raises(errors.PgBackfillError) as refused:
        REFUSALS[exception](conn)
    assert type(refused.value) is exception
    cause = refused.value.__cause__
    assert isinstance(cause, psycopg.Error)
    assert cause.sqlstate == exception.sqlstate
    assert (refused.value.message, refused.value.detail, refused.value.hint) == (
        cause.diag.message_primary,
        cause.diag.message_detail,
        cause.diag.message_hint,
    )
    assert str(refused.value) == refused.value.message


def test_duplicates_that_a_migration_finds(empty_dsn: str) -> None:
    migrate.upgrade(empty_dsn)
    with psycopg.connect(empty_dsn) as conn:
        register(conn)
    migrate.downgrade(empty_dsn, "0001")
    with psycopg.connect(empty_dsn) as conn:
        conn.execute(
            """
            insert into backfill
              (dag_id, from_date, to_date, dag_run_conf, reprocess_behavior, max_active_runs, created_at, updated_at)
            select 'daily', now(), now(), '{}', 'none', 1, now(), now() from generate_series(1, 2)
            """
        )
    with pytest.raises(Exception, match="several active backfills") as refused:
        migrate.upgrade(empty_dsn)
    translation = errors.translate(refused.value)
    assert isinstance(translation, errors.DuplicateActiveBackfills)
    assert translation.detail == "daily: 1, 2"
    assert translation.hint


def test_every_exception_is_tried_here() -> None:
    assert {*REFUSALS, errors.DuplicateActiveBackfills} == set(errors.BY_SQLSTATE.values())


def test_the_active_backfill_is_named(conn: Connection[Any]) -> None:
    register(conn)
    active = create(conn)
    with pytest.raises(errors.AlreadyRunningBackfill) as refused:
        create(conn)
    assert refused.value.detail == f"active backfill: {active.id}"
    assert refused.value.http_status == 409


def test_other_errors_pass_as_they_are(conn: Connection[Any]) -> None:
    assert errors.translate(ValueError("no error of a database")) is None
    with pytest.raises(psycopg.errors.DivisionByZero) as failed, errors.translated():
        conn.execute("select 1 / 0")
    assert errors.translate(failed.value) is None


def test_exceptions_travel_between_processes() -> None:
    sent = errors.AlreadyRunningBackfill("another is active", detail="active backfill: 7", hint="wait")
    received = pickle.loads(pickle.dumps(sent))
    assert (type(received), received.message, received.detail, received.hint) == (
        errors.AlreadyRunningBackfill,
        "another is active",
        "active backfill: 7",
        "wait",
    )


def test_the_documented_table_is_the_codes() -> None:
    text = (Path(__file__).parents[2] / "docs" / "errors.md").read_text(encoding="utf-8")
    documented = re.findall(r"^\| (\w{5}) \| (\w+) \| (\S+) \|", text, re.MULTILINE)
    assert documented == [(c.sqlstate, c.__name__, str(c.http_status or "-")) for c in errors.BY_SQLSTATE.values()]
