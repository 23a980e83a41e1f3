"""What the functions take and refuse before the database is asked."""

from __future__ import annotations

import math
from datetime import date, datetime, timezone
from typing import Any

import pgbackfill
import psycopg
import pytest
from pgbackfill import DEFAULT, DagRunInfo, aio
from psycopg import Connection
from support.dags import register

FIRST = datetime(2026, 1, 1, tzinfo=timezone.utc)
NAIVE = datetime(2026, 1, 3)


def test_a_naive_datetime_is_refused(conn: Connection[Any]) -> None:
    with pytest.raises(ValueError, match="to_date must have a time zone"):
        pgbackfill.create_backfill(conn, "daily", FIRST, NAIVE)
    with pytest.raises(ValueError, match="a datetime in JSON must have a time zone"):
        pgbackfill.create_backfill(conn, "daily", FIRST, FIRST, infos=[DagRunInfo(NAIVE, NAIVE, NAIVE, NAIVE)])


@pytest.mark.parametrize("value", ["2026-01-01", date(2026, 1, 1), 0])
def test_only_a_datetime_is_a_date(conn: Connection[Any], value: Any) -> None:
    with pytest.raises(TypeError, match="from_date must be a datetime with a time zone"):
        pgbackfill.plan_backfill(conn, "daily", value, FIRST)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_json_has_no_such_numbers(conn: Connection[Any], value: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        pgbackfill.create_backfill(conn, "daily", FIRST, FIRST, dag_run_conf={"x": value})


def test_what_json_cannot_hold(conn: Connection[Any]) -> None:
    with pytest.raises(TypeError, match="set has no form in JSON"):
        pgbackfill.create_backfill(conn, "daily", FIRST, FIRST, dag_run_conf={"x": {1}})


def test_none_is_null_and_not_the_default(conn: Connection[Any]) -> None:
    register(conn)
    options: Any = {"max_active_runs": None}
    with pytest.raises(pgbackfill.InvalidArgument, match="max_active_runs"):
        pgbackfill.create_backfill(conn, "daily", FIRST, FIRST, **options)
    created = pgbackfill.create_backfill(conn, "daily", FIRST, FIRST, max_active_runs=DEFAULT)
    assert created.max_active_runs == 10


def test_a_conf_of_none_leaves_the_conf_of_a_cleared_run(conn: Connection[Any]) -> None:
    register(conn)
    for conf in ({"x": 1}, None):
        pgbackfill.create_backfill(conn, "daily", FIRST, FIRST, reprocess_behavior="completed", dag_run_conf=conf)
        (run,) = pgbackfill.start_queued_dag_runs(conn)
        assert run.conf == {"x": 1}
        assert run.dag_run_id is not None
        pgbackfill.finish_dag_run(conn, run.dag_run_id, "success")
        pgbackfill.mark_backfills_complete(conn)


def test_a_number_too_large_for_the_database(conn: Connection[Any]) -> None:
    with pytest.raises(psycopg.errors.NumericValueOutOfRange):
        pgbackfill.get_backfill(conn, 2**40)


def test_a_connection_of_another_kind_is_refused_by_name(dsn: str) -> None:
    class Engine:
        pass

    thing: Any = Engine()
    with pytest.raises(TypeError, match=r"psycopg Connection.*not .*Engine"):
        pgbackfill.list_backfills(thing)
    with pytest.raises(TypeError, match=r"psycopg AsyncConnection.*not .*Engine"):
        aio.list_backfills(thing).send(None)


def test_a_database_without_pgbackfill_says_so_itself(empty_dsn: str) -> None:
    with psycopg.connect(empty_dsn) as conn, pytest.raises(psycopg.errors.InvalidSchemaName):
        pgbackfill.mark_backfills_complete(conn)
