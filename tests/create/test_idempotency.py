"""The same request with the same key makes one backfill."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from psycopg import Connection
from support.dags import create, register


def test_a_repeated_request_returns_the_first_backfill(conn: Connection[Any]) -> None:
    register(conn)
    first = create(conn, idempotency_key="k")
    assert create(conn, idempotency_key="k") == first
    conn.execute("select from pgbackfill.cancel_backfill(%s)", [first])
    assert create(conn, idempotency_key="k") == first, "also when it is over"
    assert create(conn, idempotency_key="another", first="2026-02-01", last="2026-02-01") != first


def test_the_same_key_with_another_request_is_refused(conn: Connection[Any]) -> None:
    register(conn)
    first = create(conn, idempotency_key="k")
    with pytest.raises(psycopg.Error) as error:
        create(conn, idempotency_key="k", max_active_runs=3)
    assert error.value.sqlstate == "PB015"
    assert str(first) in (error.value.diag.message_detail or "")


def test_a_failed_request_does_not_use_up_its_key(conn: Connection[Any]) -> None:
    register(conn)
    with pytest.raises(psycopg.Error):
        create(conn, idempotency_key="k", reprocess_behavior="nonsense")
    with pytest.raises(psycopg.Error):
        create(conn, idempotency_key="k", first="2026-01-01T01:00", last="2026-01-01T02:00")
    assert create(conn, idempotency_key="k")


def test_the_same_instants_written_otherwise_are_the_same_request(conn: Connection[Any]) -> None:
    register(conn)
    call = "select id from pgbackfill.create_backfill('daily', %s, %s, idempotency_key => 'k')"
    first = conn.execute(call, ["2026-01-01T00:00:00+00:00", "2026-01-02T00:00:00+00:00"]).fetchone()
    conn.execute("set timezone = 'Asia/Tokyo'")
    assert conn.execute(call, ["2026-01-01T01:00:00+01:00", "2026-01-01T19:00:00-05:00"]).fetchone() == first


def test_a_key_whose_backfill_was_deleted_is_free(conn: Connection[Any]) -> None:
    register(conn)
    first = create(conn, idempotency_key="k")
    conn.execute("delete from dag_run")
    conn.execute("delete from backfill")
    second = create(conn, idempotency_key="k")
    assert second != first
    assert create(conn, idempotency_key="k") == second


def test_concurrent_requests_with_one_key_all_get_one_backfill(
    conn: Connection[Any], connect: Callable[..., Connection[Any]]
) -> None:
    register(conn)
    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(lambda c: create(c, idempotency_key="k"), [connect() for _ in range(8)]))
    assert len(set(ids)) == 1
