"""Every bad request gets a clean SQLSTATE and changes nothing."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest
from psycopg import Connection
from support.dags import create, register, set_dag_attributes, set_tasks
from support.snapshot import row_counts

FUTURE = "2999-01-01T00:00:00Z"


def slot(day: int, **fields: Any) -> dict[str, Any]:
    at = f"2026-01-{day:02}T00:00:00Z"
    return {"logical_date": at, "data_interval_start": at, "data_interval_end": at, "run_after": at, **fields}


def without(field: str) -> dict[str, Any]:
    return {key: value for key, value in slot(1).items() if key != field}


BAD_REQUESTS: list[tuple[str, str, dict[str, Any]]] = [
    ("null dag_id", "PB016", {"dag_id": None}),
    ("empty dag_id", "PB016", {"dag_id": ""}),
    ("unknown dag_id", "PB002", {"dag_id": "no_such_dag"}),
    ("quotes in dag_id", "PB002", {"dag_id": """'; drop table dag_run; --"""}),
    ("double quotes in dag_id", "PB002", {"dag_id": '"daily"'}),
    ("percent signs in dag_id", "PB002", {"dag_id": "100%s %I %% %"}),
    ("unicode in dag_id", "PB002", {"dag_id": "zażółć_gęślą_🚀"}),
    ("250 characters in dag_id", "PB002", {"dag_id": "d" * 250}),
    ("a megabyte of dag_id", "PB002", {"dag_id": "d" * 1_000_000}),
    ("null from_date", "PB016", {"from_date": None}),
    ("null to_date", "PB016", {"to_date": None}),
    ("from after to", "PB008", {"from_date": "2026-01-02", "to_date": "2026-01-01"}),
    ("wholly in the future", "PB007", {"from_date": FUTURE, "to_date": FUTURE}),
    ("infinite to_date", "PB008", {"to_date": "infinity"}),
    ("infinite from_date", "PB008", {"from_date": "-infinity"}),
    ("both infinite", "PB008", {"from_date": "infinity", "to_date": "infinity"}),
    ("max_active_runs 0", "PB016", {"max_active_runs": 0}),
    ("max_active_runs -1", "PB016", {"max_active_runs": -1}),
    ("max_active_runs null", "PB016", {"max_active_runs": None}),
    ("run_backwards null", "PB016", {"run_backwards": None}),
    ("run_on_latest_version null", "PB016", {"run_on_latest_version": None}),
    ("reprocess_behavior null", "PB016", {"reprocess_behavior": None}),
    ("reprocess_behavior unknown", "PB016", {"reprocess_behavior": "everything"}),
    ("reprocess_behavior in capitals", "PB016", {"reprocess_behavior": "NONE"}),
    ("user name too long", "PB016", {"triggering_user_name": "u" * 513}),
    ("idempotency_key empty", "PB016", {"idempotency_key": ""}),
    ("idempotency_key too long", "PB016", {"idempotency_key": "k" * 256}),
    ("no slot in the window", "PB010", {"from_date": "2026-01-01T01:00Z", "to_date": "2026-01-01T02:00Z"}),
    ("conf an array", "PB009", {"dag_run_conf": "[1]"}),
    ("conf a string", "PB009", {"dag_run_conf": '"x"'}),
    ("conf a number", "PB009", {"dag_run_conf": "1"}),
    ("conf JSON null", "PB009", {"dag_run_conf": "null"}),
    ("conf with a NUL escape", "22P05", {"dag_run_conf": r'{"x": "\u0000"}'}),
    ("conf no JSON", "22P02", {"dag_run_conf": "{"}),
    ("infos an object", "PB016", {"infos": "{}"}),
    ("infos a string", "PB016", {"infos": '"x"'}),
    ("infos JSON null", "PB016", {"infos": "null"}),
    ("infos of numbers", "PB016", {"infos": "[1, 2]"}),
    ("infos empty", "PB010", {"infos": "[]"}),
    ("infos without logical_date", "PB016", {"infos": json.dumps([without("logical_date")])}),
    ("infos without data_interval_start", "PB016", {"infos": json.dumps([without("data_interval_start")])}),
    ("infos without data_interval_end", "PB016", {"infos": json.dumps([without("data_interval_end")])}),
    ("infos without run_after", "PB016", {"infos": json.dumps([without("run_after")])}),
    ("infos with a null", "PB016", {"infos": json.dumps([slot(1, run_after=None)])}),
    ("infos with no time", "PB016", {"infos": json.dumps([slot(1, run_after="yesterday-ish")])}),
    ("infos with a 13th month", "PB016", {"infos": json.dumps([slot(1, run_after="2026-13-01T00:00:00Z")])}),
    ("infos with infinity", "PB016", {"infos": json.dumps([slot(1, run_after="infinity")])}),
    ("infos repeating a slot", "PB016", {"infos": json.dumps([slot(1), slot(1)])}),
    ("infos out of order", "PB016", {"infos": json.dumps([slot(2), slot(1)])}),
    ("infos outside the window", "PB016", {"infos": json.dumps([slot(1), slot(30)])}),
    (
        "infos ending before they start",
        "PB016",
        {"infos": json.dumps([slot(1, data_interval_end="2025-01-01T00:00:00Z")])},
    ),
    (
        "infos mixing dates and partitions",
        "PB016",
        {"infos": json.dumps([slot(1), {"partition_key": "k", "partition_date": FUTURE, "run_after": FUTURE}])},
    ),
]


def call(conn: Connection[Any], function: str, request: dict[str, Any]) -> list[tuple[Any, ...]]:
    arguments = {"dag_id": "daily", "from_date": "2026-01-01 UTC", "to_date": "2026-01-03 UTC", **request}
    named = ", ".join(f"{name} => %s" for name in arguments)
    return conn.execute(f"select * from pgbackfill.{function}({named})", list(arguments.values())).fetchall()


@pytest.mark.parametrize(("sqlstate", "request_"), [r[1:] for r in BAD_REQUESTS], ids=[r[0] for r in BAD_REQUESTS])
def test_creation_refuses_it_and_writes_nothing(conn: Connection[Any], sqlstate: str, request_: dict[str, Any]) -> None:
    register(conn)
    before = row_counts(conn)
    with pytest.raises(psycopg.Error) as error:
        call(conn, "create_backfill", request_)
    assert error.value.sqlstate == sqlstate
    assert error.value.diag.message_primary
    assert "\n" not in error.value.diag.message_primary
    assert row_counts(conn) == before
    assert create(conn), "the DAG is still free"


PLANNABLE = [
    r
    for r in BAD_REQUESTS
    if not {"max_active_runs", "run_on_latest_version", "triggering_user_name", "idempotency_key"} & set(r[2])
]


@pytest.mark.parametrize(("sqlstate", "request_"), [r[1:] for r in PLANNABLE], ids=[r[0] for r in PLANNABLE])
def test_a_dry_run_refuses_the_same(conn: Connection[Any], sqlstate: str, request_: dict[str, Any]) -> None:
    register(conn)
    if sqlstate == "PB010":
        assert call(conn, "plan_backfill", request_) == []
        return
    with pytest.raises(psycopg.Error) as error:
        call(conn, "plan_backfill", request_)
    assert error.value.sqlstate == sqlstate


def test_strange_dag_ids_that_exist_work(conn: Connection[Any]) -> None:
    for dag_id in ["it's", '"quoted"', "100%s %I", "zażółć_🚀", "d" * 250, "back\\slash"]:
        register(conn, "template")
        conn.execute(
            "insert into dag select (jsonb_populate_record(d, jsonb_build_object('dag_id', %s::text))).* from dag d where dag_id = 'template'",
            [dag_id],
        )
        conn.execute(
            """
            with v as (
              insert into dag_version (id, version_number, dag_id, created_at, last_updated)
              values (gen_random_uuid(), 1, %(dag_id)s, now(), now()) returning id
            )
            insert into serialized_dag (id, dag_id, data, created_at, last_updated, dag_hash, dag_version_id)
            select gen_random_uuid(), %(dag_id)s, s.data, now(), now(), 'x', v.id from serialized_dag s, v where s.dag_id = 'template'
            """,
            {"dag_id": dag_id},
        )
        backfill_id = create(conn, dag_id)
        assert conn.execute(
            "select dag_id, slots_created from pgbackfill.backfills where id = %s", [backfill_id]
        ).fetchone() == (dag_id, 3)


@pytest.mark.parametrize("function", ["plan_backfill", "create_backfill"])
@pytest.mark.parametrize(
    ("sqlstate", "attributes", "request_"),
    [
        ("PB003", {"timetable": {"__type": "airflow.timetables.simple.NullTimetable", "__var": {}}}, {}),
        ("PB003", {"timetable": {"__type": "airflow.timetables.simple.OnceTimetable", "__var": {}}}, {}),
        ("PB003", {"timetable": {"__type": "airflow.timetables.simple.ContinuousTimetable", "__var": {}}}, {}),
        ("PB013", {"timetable": {"__type": "my.company.FiscalTimetable", "__var": {}}}, {}),
        ("PB014", {"deadline": [{"__type": "deadline_alert", "__var": {}}]}, {}),
    ],
)
def test_dags_that_cannot_be_backfilled_are_refused(
    conn: Connection[Any], function: str, sqlstate: str, attributes: dict[str, Any], request_: dict[str, Any]
) -> None:
    register(conn)
    set_dag_attributes(conn, "daily", **attributes)
    before = row_counts(conn)
    with pytest.raises(psycopg.Error) as error:
        call(conn, function, request_)
    assert error.value.sqlstate == sqlstate
    assert row_counts(conn) == before


def test_an_unsupported_timetable_works_with_infos(conn: Connection[Any]) -> None:
    register(conn)
    set_dag_attributes(conn, "daily", timetable={"__type": "my.company.FiscalTimetable", "__var": {}})
    with pytest.raises(psycopg.Error) as error:
        call(conn, "create_backfill", {})
    assert "infos" in (error.value.diag.message_hint or "")
    call(conn, "create_backfill", {"infos": json.dumps([slot(1), slot(3)])})
    rows = conn.execute("select sort_ordinal, run_id from pgbackfill.backfill_dag_runs").fetchall()
    assert rows == [(1, "backfill__2026-01-01T00:00:00+00:00"), (2, "backfill__2026-01-03T00:00:00+00:00")]


def test_of_two_slots_with_one_run_after_the_second_is_in_flight(conn: Connection[Any]) -> None:
    register(conn)
    same = {"run_after": "2026-01-02T00:00:00Z"}
    call(conn, "create_backfill", {"infos": json.dumps([slot(1, **same), slot(2, **same)])})
    rows = conn.execute("select run_id, exception_reason from pgbackfill.backfill_dag_runs").fetchall()
    assert rows == [("backfill__2026-01-02T00:00:00+00:00", None), (None, "in flight")]


def test_allowed_run_types(conn: Connection[Any]) -> None:
    register(conn)
    conn.execute('update dag set allowed_run_types = \'["manual", "scheduled"]\'')
    with pytest.raises(psycopg.Error) as error:
        create(conn)
    assert error.value.sqlstate == "PB004"
    conn.execute('update dag set allowed_run_types = \'["manual", "backfill"]\'')
    assert create(conn)


def test_depends_on_past(conn: Connection[Any]) -> None:
    register(conn)
    set_tasks(conn, "daily", {"task_id": "a"}, {"task_id": "b", "depends_on_past": True})
    with pytest.raises(psycopg.Error) as error:
        create(conn, run_backwards=True, reprocess_behavior="failed")
    assert error.value.sqlstate == "PB005"
    with pytest.raises(psycopg.Error) as error:
        create(conn)
    assert error.value.sqlstate == "PB006"
    assert create(conn, reprocess_behavior="completed")


def test_a_compressed_dag_is_refused_by_name(conn: Connection[Any]) -> None:
    register(conn)
    conn.execute(r"update serialized_dag set data = null, data_compressed = '\x00'")
    with pytest.raises(psycopg.Error) as error:
        create(conn)
    assert error.value.sqlstate == "PB014"
    assert "compress" in str(error.value)


@pytest.mark.parametrize("function", ["pause_backfill", "unpause_backfill", "cancel_backfill"])
def test_lifecycle_refuses_unknown_and_null_ids(conn: Connection[Any], function: str) -> None:
    for argument, sqlstate in [(None, "PB016"), (-1, "PB011"), (2_000_000_000, "PB011")]:
        with pytest.raises(psycopg.Error) as error:
            conn.execute(f"select * from pgbackfill.{function}(%s::integer)", [argument])
        assert error.value.sqlstate == sqlstate


@pytest.mark.parametrize(
    ("sqlstate", "request_"),
    [
        ("PB008", {"from_date": "0001-01-01 BC", "to_date": "2026-01-01"}),
        ("PB008", {"from_date": "2026-01-01", "to_date": "200000-01-01"}),
        ("PB016", {"infos": json.dumps([slot(1, run_after="200000-01-01T00:00:00Z")])}),
        ("PB016", {"infos": json.dumps([slot(1, run_after="now")])}),
        ("PB016", {"infos": json.dumps([slot(1, run_after="01/02/2025")])}),
        (
            "PB016",
            {
                "infos": json.dumps(
                    [
                        {
                            "partition_key": "k" * 151,
                            "partition_date": "2026-01-01T00:00:00Z",
                            "run_after": "2026-01-01T00:00:00Z",
                        }
                    ]
                )
            },
        ),
    ],
)
def test_what_airflow_could_not_read_back_is_refused(
    conn: Connection[Any], sqlstate: str, request_: dict[str, Any]
) -> None:
    register(conn)
    with pytest.raises(psycopg.Error) as error:
        call(conn, "create_backfill", request_)
    assert error.value.sqlstate == sqlstate
