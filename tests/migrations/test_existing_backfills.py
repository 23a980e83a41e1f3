"""What Airflow had done before pgbackfill came: what is broken is mended, all of it recorded, and removal undoes it."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
import sqlalchemy.exc
from pgbackfill import migrate
from psycopg import Connection
from psycopg.rows import dict_row
from support.dags import register
from support.host import add_backfill, add_run, airflows_tables

BY_US = "migration"


@pytest.fixture
def host(empty_dsn: str) -> Iterator[Connection[Any]]:
    with airflows_tables(empty_dsn) as conn:
        yield conn


def events(conn: Connection[Any], backfill_id: int) -> list[tuple[str, str | None]]:
    return conn.execute(
        "select event, detail ->> 'by' from pgbackfill.event where backfill_id = %s order by id", [backfill_id]
    ).fetchall()


def backfills(conn: Connection[Any]) -> list[dict[str, Any]]:
    return conn.cursor(row_factory=dict_row).execute("select * from backfill order by id").fetchall()


def test_every_backfill_that_is_changed_leaves_an_event(host: Connection[Any], empty_dsn: str) -> None:
    done = add_backfill(host, "a", completed=True, is_paused=False)
    live = add_backfill(host, "b", slots=2)
    unborn = add_backfill(host, "c")
    migrate.upgrade(empty_dsn, "0007")
    late = add_backfill(host, "d", slots=1)
    migrate.upgrade(empty_dsn)
    assert events(host, done) == events(host, live) == events(host, late) == [("initialized", BY_US)]
    assert events(host, unborn) == []
    rows = host.execute(
        "select e.occurred_at = b.initialized_at, e.dag_id = b.dag_id, e.detail ? 'why' from pgbackfill.event e join backfill b on b.id = e.backfill_id"
    ).fetchall()
    assert rows == [(True, True, True)] * 3


def test_a_stale_pause_is_cleared_and_the_backfill_stays_cancelled(host: Connection[Any], empty_dsn: str) -> None:
    cancelled = add_backfill(host, "a", completed=True, is_paused=True, slots=1)
    completed = add_backfill(host, "b", completed=True, is_paused=False, slots=1)
    paused = add_backfill(host, "c", is_paused=True, slots=1)
    before = backfills(host)
    migrate.upgrade(empty_dsn, "0012")
    assert host.execute("select id, status from pgbackfill.backfills").fetchall() == [
        (cancelled, "cancelled"),
        (completed, "completed"),
        (paused, "paused"),
    ]
    migrate.upgrade(empty_dsn)
    assert host.execute("select id, status, is_paused from pgbackfill.backfills").fetchall() == [
        (cancelled, "cancelled", False),
        (completed, "completed", False),
        (paused, "paused", True),
    ]
    assert events(host, cancelled) == [("initialized", BY_US), ("cancelled", BY_US), ("unpaused", BY_US)]
    assert events(host, completed) == events(host, paused) == [("initialized", BY_US)]
    assert host.execute("select occurred_at from pgbackfill.event where event = 'cancelled'").fetchone() == (
        before[0]["completed_at"],
    )
    changed = {"is_paused", "initialized_at"}
    for was, now in zip(before, backfills(host), strict=True):
        assert {k: v for k, v in now.items() if k not in changed} == {k: v for k, v in was.items() if k not in changed}


def test_a_run_that_was_stranded_is_promoted(host: Connection[Any], empty_dsn: str) -> None:
    cancelled = add_backfill(host, "a", completed=True, is_paused=True)
    run = add_run(host, cancelled, 1, "queued")  # cleared after the cancel
    # How Airflow's scheduler picks the queued runs of backfills: `DagRun.get_queued_dag_runs_to_set_running`.
    promotable = (
        "select r.id from dag_run r left join backfill b on b.id = r.backfill_id "
        "where r.state = 'queued' and (b.id is null or not coalesce(b.is_paused, false))"
    )
    migrate.upgrade(empty_dsn, "0012")
    assert host.execute(promotable).fetchall() == []
    migrate.upgrade(empty_dsn)
    assert host.execute(promotable).fetchall() == [(run,)]


def test_removal_sets_the_flag_again(host: Connection[Any], empty_dsn: str) -> None:
    add_backfill(host, "a", completed=True, is_paused=True, slots=1)
    add_backfill(host, "b", completed=True, is_paused=False, slots=1)
    add_backfill(host, "c", completed=True, slots=1)  # Airflow leaves it null at times
    before = backfills(host)
    for _ in range(2):
        migrate.upgrade(empty_dsn)
        migrate.downgrade(empty_dsn)
        assert backfills(host) == before


def test_removal_leaves_alone_what_was_changed_since(host: Connection[Any], empty_dsn: str) -> None:
    add_backfill(host, "a", completed=True, is_paused=True)
    migrate.upgrade(empty_dsn)
    host.execute("update backfill set updated_at = now() + interval '1 s'")
    migrate.downgrade(empty_dsn)
    assert host.execute("select is_paused from backfill").fetchall() == [(False,)]


def test_the_printed_sql_does_the_same(host: Connection[Any], empty_dsn: str, psql: Callable[..., str]) -> None:
    cancelled = add_backfill(host, "a", completed=True, is_paused=True)
    before = backfills(host)
    up, down = io.StringIO(), io.StringIO()
    migrate.upgrade(sql=True, output=up)
    migrate.downgrade(revision="head:base", sql=True, output=down)
    psql(up.getvalue(), dsn=empty_dsn)
    assert events(host, cancelled) == [("initialized", BY_US), ("cancelled", BY_US), ("unpaused", BY_US)]
    psql(down.getvalue(), dsn=empty_dsn)
    assert backfills(host) == before


def test_mending_is_announced(host: Connection[Any], empty_dsn: str) -> None:
    add_backfill(host, "a", completed=True, is_paused=True)
    host.execute("listen pgbackfill")
    migrate.upgrade(empty_dsn)
    announced = [n.payload for n in host.notifies(timeout=10, stop_after=3)]
    assert ["initialized" in announced[0], "cancelled" in announced[1], "unpaused" in announced[2]] == [True] * 3


def test_mending_waits_for_no_live_backfill_and_no_longer_than_it_may(host: Connection[Any], empty_dsn: str) -> None:
    add_backfill(host, "a", completed=True, is_paused=True)
    live = add_backfill(host, "b", is_paused=True, slots=1)
    migrate.upgrade(empty_dsn, "0012")
    with psycopg.connect(empty_dsn) as other:
        other.execute("select from backfill where completed_at is not null for update")
        with pytest.raises(sqlalchemy.exc.DBAPIError) as error:
            migrate.upgrade(empty_dsn, lock_timeout="50ms")
        assert getattr(error.value.orig, "sqlstate", None) == "55P03"
        assert migrate.current(empty_dsn) == "0012"
        other.rollback()
        other.execute("select from backfill where id = %s for update", [live])
        migrate.upgrade(empty_dsn, lock_timeout="50ms")
    assert migrate.current(empty_dsn) == migrate.heads()


def test_a_creation_under_way_is_not_waited_for(host: Connection[Any], empty_dsn: str) -> None:
    register_by = add_backfill(host, "a", slots=1)
    migrate.upgrade(empty_dsn, "0003")
    with psycopg.connect(empty_dsn) as creator, ThreadPoolExecutor(1) as pool:
        creator.execute(
            "insert into dag_run (dag_id, run_id, run_type, run_after, backfill_id) values ('a', 'x', 'backfill', now(), %s)",
            [register_by],
        )
        pool.submit(migrate.upgrade, empty_dsn, "0004", lock_timeout="50ms").result()
        creator.commit()
    assert events(host, register_by) == [("initialized", BY_US)]


def test_without_an_airflow_there_is_nothing_to_mend(dsn: str, conn: Connection[Any]) -> None:
    register(conn)
    assert conn.execute("select count(*) from pgbackfill.event").fetchone() == (0,)
