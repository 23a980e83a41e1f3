"""Registering a DAG where no Airflow is."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest
from psycopg import Connection
from timetable.cases import DATA_INTERVAL, DELTA_DATA_INTERVAL, DELTA_TRIGGER, EVENTS, MULTIPLE, PARTITION, TRIGGER


def version(conn: Connection[Any], dag_id: str, schedule: str, **options: Any) -> int:
    named = "".join(f", {name} => %s" for name in options)
    row = conn.execute(
        f"select version_number from pgbackfill.register_dag(%s, %s{named})", [dag_id, schedule, *options.values()]
    ).fetchone()
    assert row is not None
    return int(row[0])


def test_a_change_makes_a_new_version_and_nothing_else_does(conn: Connection[Any]) -> None:
    assert version(conn, "d", "@daily") == 1
    assert version(conn, "d", "@daily") == 1
    assert version(conn, "d", "@hourly") == 2
    assert version(conn, "d", "@hourly", timezone="Europe/Berlin") == 3
    assert version(conn, "d", "@hourly", timezone="Europe/Berlin", description="text") == 3
    assert conn.execute("select description from dag").fetchone() == ("text",)


def test_data_intervals(conn: Connection[Any]) -> None:
    version(conn, "d", "0 6 * * *", create_cron_data_intervals=True)
    row = conn.execute(
        "select logical_date = data_interval_start, data_interval_end - data_interval_start = '1 day', run_after = data_interval_end "
        "from pgbackfill.dag_run_infos('d', '2026-01-01 UTC', '2026-01-02 UTC')"
    ).fetchone()
    assert row == (True, True, True)


@pytest.mark.parametrize(
    ("dag_id", "schedule", "options"),
    [
        (None, "@daily", {}),
        ("", "@daily", {}),
        ("d" * 251, "@daily", {}),
        ("a/b", "@daily", {}),
        ("a..b", "@daily", {}),
        ("d", None, {}),
        ("d", "", {}),
        ("d", "99 * * * *", {}),
        ("d", "tomorrow", {}),
        ("d", "@daily", {"timezone": "Mars/Olympus"}),
        ("d", "@daily", {"timezone": None}),
        ("d", "@daily", {"max_active_runs": 0}),
        ("d", "@daily", {"max_active_runs": None}),
        ("d", "@daily", {"create_cron_data_intervals": None}),
    ],
)
def test_refusals(conn: Connection[Any], dag_id: str, schedule: str, options: dict[str, Any]) -> None:
    with pytest.raises(psycopg.Error) as error:
        version(conn, dag_id, schedule, **options)
    assert error.value.sqlstate == "PB016"
    assert conn.execute("select count(*) from dag").fetchone() == (0,)


def test_refused_where_airflow_is(conn: Connection[Any]) -> None:
    conn.execute("delete from pgbackfill.host_table")  # as the migration leaves it on Airflow's database
    with pytest.raises(psycopg.Error) as error:
        version(conn, "d", "@daily")
    assert error.value.sqlstate == "PB014"


def timetable(conn: Connection[Any], schedule: str, options: str = "") -> Any:
    """The timetable of a DAG that is registered with a schedule as a person writes it."""
    row = conn.execute(f"select timetable from pgbackfill.register_dag('d', {schedule}{options})").fetchone()
    assert row is not None
    return row[0]


@pytest.mark.parametrize(
    ("schedule", "options", "name", "fields"),
    [
        ("'0 6 * * *'", "", TRIGGER, {"expression": "0 6 * * *", "timezone": "UTC", "interval": 0}),
        ("'@daily'", ", timezone => 'Asia/Tokyo'", TRIGGER, {"expression": "@daily", "timezone": "Asia/Tokyo"}),
        ("'@daily'", ", create_cron_data_intervals => true", DATA_INTERVAL, {"expression": "@daily"}),
        ("array['0 6 * * *', '@weekly']", "", MULTIPLE, {"expressions": ["0 6 * * *", "@weekly"], "interval": 0}),
        ("interval '1 day'", "", DELTA_TRIGGER, {"delta": 86400, "interval": 0}),
        ("interval '90 seconds'", ", create_delta_data_intervals => true", DELTA_DATA_INTERVAL, {"delta": 90}),
        ("interval '0.5 seconds'", "", DELTA_TRIGGER, {"delta": 0.5}),
        (
            "interval '1 year 2 months 3 days 4.5 seconds'",
            "",
            DELTA_TRIGGER,
            {
                "delta": {
                    "years": 1,
                    "months": 2,
                    "days": 3,
                    "hours": 0,
                    "minutes": 0,
                    "seconds": 4,
                    "microseconds": 500000,
                }
            },
        ),
        (
            "array['2026-01-02 00:00+01', '2026-01-01 00:00:00.5Z']::timestamptz[]",
            "",
            EVENTS,
            {"event_dates": ["2026-01-01T00:00:00.500000+00:00", "2026-01-01T23:00:00+00:00"]},
        ),
        (
            'jsonb \'{"__type": "airflow.timetables.trigger.CronPartitionTimetable", "__var": '
            '{"expression": "@daily", "timezone": "UTC", "run_offset": 0, "key_format": "%F"}}\'',
            "",
            PARTITION,
            {"key_format": "%F"},
        ),
    ],
)
def test_schedules_as_a_person_writes_them(
    conn: Connection[Any], schedule: str, options: str, name: str, fields: dict[str, Any]
) -> None:
    registered = timetable(conn, schedule, options)

    assert registered["__type"] == name
    assert {key: registered["__var"][key] for key in fields} == fields
    infos = conn.execute("select count(*) from pgbackfill.dag_run_infos('d', '2026-01-01Z', '2026-01-31Z')").fetchone()
    assert infos is not None
    assert infos[0] > 0


@pytest.mark.parametrize(
    ("schedule", "sqlstate"),
    [
        ("'1 day'", "PB016"),
        ("'{@daily,@hourly}'", "PB016"),
        ("'@dialy'", "PB016"),
        ("""'{"__type": "x"}'""", "PB016"),
        ("'@once'", "PB003"),
        ("null", "PB016"),
        ("null::interval", "PB016"),
        ("interval '0'", "PB016"),
        ("interval '-1 day'", "PB016"),
        ("interval '1 month -40 days'", "PB016"),
        ("null::text[]", "PB016"),
        ("array[]::text[]", "PB016"),
        ("array['@daily', null]", "PB016"),
        ("array['@daily', 'x']", "PB016"),
        ("null::timestamptz[]", "PB016"),
        ("array[null]::timestamptz[]", "PB016"),
        ("array['infinity']::timestamptz[]", "PB016"),
        ("array['4000-01-01 00:00Z BC']::timestamptz[]", "PB016"),
        ("array[array['@daily']]", "PB016"),
        ("null::jsonb", "PB016"),
        ("jsonb '{}'", "PB016"),
        ("""jsonb '{"__type": "airflow.timetables.simple.NullTimetable", "__var": {}}'""", "PB003"),
        ("""jsonb '{"__type": "my.Timetable", "__var": {}}'""", "PB013"),
    ],
)
def test_schedules_that_are_none(conn: Connection[Any], schedule: str, sqlstate: str) -> None:
    with pytest.raises(psycopg.Error) as error:
        timetable(conn, schedule)
    assert error.value.sqlstate == sqlstate
    assert conn.execute("select count(*) from dag").fetchone() == (0,)


@pytest.mark.parametrize(
    ("schedule", "name"),
    [
        ("schedule => '@daily'", TRIGGER),
        ("crons => '{@daily,0 6 * * *}'", MULTIPLE),
        ("every => '1 day'", DELTA_TRIGGER),
        ("dates => '{2026-01-01 00:00Z}'", EVENTS),
        (
            'timetable => \'{"__type": "airflow.timetables.interval.DeltaDataIntervalTimetable", "__var": {"delta": 60}}\'',
            DELTA_DATA_INTERVAL,
        ),
    ],
)
def test_a_parameter_named_needs_no_type(conn: Connection[Any], schedule: str, name: str) -> None:
    assert timetable(conn, schedule)["__type"] == name


def test_an_interval_without_end(conn: Connection[Any]) -> None:
    if conn.info.server_version < 170000:
        pytest.skip("there are none before PostgreSQL 17")
    with pytest.raises(psycopg.Error) as error:
        timetable(conn, "interval 'infinity'")
    assert error.value.sqlstate == "PB016"


def test_what_is_no_cron_is_told_what_else_there_is(conn: Connection[Any]) -> None:
    with pytest.raises(psycopg.Error) as error:
        timetable(conn, "'1 day'")

    assert "every => '1 day'" in str(error.value.diag.message_hint)


def test_a_partitioned_dag_is_backfilled_by_partition(conn: Connection[Any]) -> None:
    fields = {"expression": "@daily", "timezone": "Asia/Tokyo", "run_offset": 0, "key_format": "%Y-%m-%d"}
    conn.execute(
        "select from pgbackfill.register_dag('d', %s::jsonb)", [json.dumps({"__type": PARTITION, "__var": fields})]
    )
    conn.execute("select from pgbackfill.create_backfill('d', '2026-01-01Z', '2026-01-02Z')")

    rows = conn.execute("select partition_key, partition_date::text, logical_date from dag_run order by id").fetchall()
    assert [key for key, *_ in rows] == ["2026-01-01", "2026-01-02"]
    assert all(logical_date is None for *_, logical_date in rows)
    assert conn.execute("select timetable_partitioned from dag").fetchone() == (True,)
