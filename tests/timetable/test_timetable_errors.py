"""What is no timetable, or none that SQL can evaluate, is refused with its SQLSTATE and a reason, and never loops."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest
from psycopg import Connection
from timetable.cases import (
    DATA_INTERVAL,
    DELTA_DATA_INTERVAL,
    DELTA_TRIGGER,
    EVENTS,
    MULTIPLE,
    PARTITION,
    TRIGGER,
)

DAILY = {"__type": TRIGGER, "__var": {"expression": "0 6 * * *", "timezone": "UTC", "interval": 0.0}}


def refusal(
    conn: Connection[Any],
    timetable: object,
    from_date: str | None = "2026-01-01Z",
    to_date: str | None = "2026-01-02Z",
) -> psycopg.errors.Diagnostic:
    """The error that the timetable and window are refused with."""
    with pytest.raises(psycopg.Error) as caught:
        conn.execute("select from pgbackfill.timetable_infos(%s, %s, %s)", [json.dumps(timetable), from_date, to_date])
    return caught.value.diag


def cron(**fields: Any) -> dict[str, Any]:
    """The daily timetable with some fields replaced; None takes one out."""
    merged = {**DAILY["__var"], **fields}  # type: ignore[dict-item]
    return {"__type": TRIGGER, "__var": {k: v for k, v in merged.items() if v is not None}}


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("99 * * * *", '"99" is no minute'),
        ("* 24 * * *", '"24" is no hour'),
        ("0 0 0 * *", '"0" is no day of month'),
        ("0 0 32 * *", '"32" is no day of month'),
        ("0 0 * 13 *", '"13" is no month'),
        ("0 0 * 0-5 *", '"0-5" is no month'),
        ("0 0 * foo *", '"foo" is no month'),
        ("0 0 * * 8", '"8" is no day of week'),
        ("0 0 * * funday", '"funday" is no day of week'),
        ("0 0 * * l", '"l" is no day of week'),
        ("0 0 * * mon#6", '"mon#6" is no day of week'),
        ("0 0 * * 1-5#2", '"1-5#2" is no day of week'),
        ("0 0 * * 1,3#2", "mixes weekdays with n-th weekdays"),
        ("0 0 15W,16 * *", '"15w" is no day of month'),
        ("0 0 32W * *", '"32w" is no day of month'),
        ("*/0 * * * *", '"*/0" is no minute'),
        ("-5 * * * *", '"-5" is no minute'),
        ("5- * * * *", '"5-" is no minute'),
        ("1,,2 * * * *", '"" is no minute'),
        ("? * * * *", '"?" is no minute'),
        ("1.5 * * * *", '"1.5" is no minute'),
        ("99999999999999999999 * * * *", "is no minute"),
        ("*/5/5 * * * *", '"*/5/5" is no minute'),
        ("h * * * *", '"h" is no minute'),
        ("r r * * *", '"r" is no minute'),
        ("0 0 * * 7 0", '"7" is no day of week'),
        ("0 0 * * * 60", '"60" is no second'),
        ("0 0 * * * 0 1969", '"1969" is no year'),
        ("", "has 0 fields"),
        ("   ", "has 0 fields"),
        ("* * * *", "has 4 fields"),
        ("* * * * * * * *", "has 8 fields"),
        ("@reboot", "has 1 fields"),
        ("@Quarterly", "has 1 fields"),
        ("'; drop table dag_run; --", "is no minute"),
    ],
)
def test_cron_expressions_that_croniter_refuses(conn: Connection[Any], expression: str, reason: str) -> None:
    diag = refusal(conn, cron(expression=expression))

    assert diag.sqlstate == "PB016"
    assert reason in str(diag.message_primary)


@pytest.mark.parametrize(
    "zone",
    [
        "",
        "Mars/Olympus_Mons",
        "Nowhere",
        "CEST",
        "PDT",
        "ABC-3",
        "Mars/Base-3",
        "Etc/GMT+15",
        "EST5EDT,M3.2.0,M11.1.0",
        "+02:00",
        "../etc/passwd",
        "europe/berlin",
        86400,
        1.5,
        True,
        ["UTC"],
        {},
    ],
)
def test_unknown_zones(conn: Connection[Any], zone: object) -> None:
    diag = refusal(conn, cron(timezone=zone))

    assert diag.sqlstate == "PB016"
    assert "timezone" in str(diag.message_primary)


@pytest.mark.parametrize(
    "interval",
    [
        "1 day",
        True,
        [],
        1e300,
        {"fortnights": 1},
        {"days": "1"},
        {"months": 1.5},
        {"month": 13},
        {"day": -1},
        {"hour": 24},
        {"weekday": 3},
        {"weekday": [7]},
        {"weekday": [1, 0]},
        {"weekday": []},
        {"years": 1e300},
    ],
)
def test_intervals_that_are_none(conn: Connection[Any], interval: object) -> None:
    assert refusal(conn, cron(interval=interval)).sqlstate == "PB016"


@pytest.mark.parametrize("key", ["expression", "timezone", "interval"])
def test_missing_keys_are_named(conn: Connection[Any], key: str) -> None:
    diag = refusal(conn, cron(**{key: None}))

    assert diag.sqlstate == "PB016"
    assert key in str(diag.message_primary)


@pytest.mark.parametrize(
    "garbage",
    [
        None,
        1,
        "0 6 * * *",
        [],
        {},
        [DAILY],
        {"__type": TRIGGER},
        {"__var": {}},
        {"__type": TRIGGER, "__var": []},
        {"__type": 1, "__var": {}},
    ],
)
def test_json_that_is_no_timetable(conn: Connection[Any], garbage: object) -> None:
    assert refusal(conn, garbage).sqlstate in {"PB016", "PB013"}


def test_null_is_no_timetable(conn: Connection[Any]) -> None:
    with pytest.raises(psycopg.Error) as caught:
        conn.execute("select from pgbackfill.timetable_infos(null, now(), now())")

    assert caught.value.sqlstate == "PB016"


@pytest.mark.parametrize("expression", [None, 5, ["0 6 * * *"], {}])
def test_an_expression_that_is_no_string(conn: Connection[Any], expression: object) -> None:
    timetable = {"__type": DATA_INTERVAL, "__var": {"expression": expression, "timezone": "UTC"}}

    assert refusal(conn, timetable).sqlstate == "PB016"


@pytest.mark.parametrize(
    ("from_date", "to_date", "reason"),
    [
        (None, "2026-01-01Z", "from_date"),
        ("2026-01-01Z", None, "to_date"),
        ("-infinity", "2026-01-01Z", "years 1 to 9999"),
        ("2026-01-01Z", "infinity", "years 1 to 9999"),
        ("0044-03-15Z BC", "2026-01-01Z", "years 1 to 9999"),
        ("2026-01-01Z", "294276-12-31Z", "years 1 to 9999"),
    ],
)
def test_windows_that_are_none(conn: Connection[Any], from_date: str | None, to_date: str | None, reason: str) -> None:
    diag = refusal(conn, DAILY, from_date, to_date)

    assert diag.sqlstate == "PB016"
    assert reason in str(diag.message_primary)


@pytest.mark.parametrize(
    "name",
    [
        "simple.NullTimetable",
        "simple.OnceTimetable",
        "simple.ContinuousTimetable",
        "simple.AssetTriggeredTimetable",
        "simple.PartitionedAssetTimetable",
        "simple.PartitionedAtRuntime",
    ],
)
def test_timetables_that_are_not_periodic(conn: Connection[Any], name: str) -> None:
    diag = refusal(conn, {"__type": f"airflow.timetables.{name}", "__var": {}})

    assert diag.sqlstate == "PB003"
    assert name in str(diag.message_primary)


def test_custom_timetables_ask_for_infos(conn: Connection[Any]) -> None:
    diag = refusal(conn, {"__type": "my_plugin.Moonrise", "__var": {}})

    assert diag.sqlstate == "PB013"
    assert "my_plugin.Moonrise" in str(diag.message_primary)
    assert "infos" in str(diag.message_hint)


def of_class(name: str, fields: dict[str, Any]) -> dict[str, Any]:
    return {"__type": name, "__var": fields}


@pytest.mark.parametrize("name", [DELTA_TRIGGER, DELTA_DATA_INTERVAL])
@pytest.mark.parametrize(
    ("delta", "reason"),
    [
        (0, "must be positive"),
        (-60.0, "must be positive"),
        (1e-9, "must be positive"),
        ({}, "must be positive"),
        ({"months": -1}, "must be positive"),
        ({"day": 1}, "must be positive"),
        ({"hours": 1, "hour": 0}, "must be positive"),
        ({"months": 1, "days": -31}, "must be positive"),
        ({"weekday": [0, 1]}, "must be positive"),
        ({"year": 2020, "years": 1}, "must be positive"),
        ({"years": 1e9}, "no relativedelta"),
        (1e-6, "more than 10000000 slots"),
        ({"microseconds": 1}, "more than 10000000 slots"),
        ({"fortnights": 1}, "no relativedelta"),
        ("1 day", "must be a relativedelta or a number of seconds"),
        (None, "must be a relativedelta or a number of seconds"),
        (True, "must be a relativedelta or a number of seconds"),
        ([86400], "must be a relativedelta or a number of seconds"),
        (1e300, "must be a relativedelta or a number of seconds"),
    ],
)
def test_deltas_that_lead_nowhere(conn: Connection[Any], name: str, delta: object, reason: str) -> None:
    fields = {"delta": delta, "interval": 0.0}
    diag = refusal(conn, of_class(name, fields), "2026-01-01Z", "2027-01-01Z")

    assert diag.sqlstate == "PB016"
    assert reason in str(diag.message_primary)


@pytest.mark.parametrize(
    ("name", "key"), [(DELTA_TRIGGER, "delta"), (DELTA_TRIGGER, "interval"), (DELTA_DATA_INTERVAL, "delta")]
)
def test_missing_keys_of_a_delta(conn: Connection[Any], name: str, key: str) -> None:
    fields = {"delta": 60, "interval": 0}
    del fields[key]
    diag = refusal(conn, of_class(name, fields))

    assert diag.sqlstate == "PB016"
    assert key in str(diag.message_primary)


@pytest.mark.parametrize(
    ("expressions", "reason"),
    [
        ([], "must not be empty"),
        (None, "must be a list of strings"),
        ("0 0 * * *", "must be a list of strings"),
        (["0 0 * * *", 5], "must be a list of strings"),
        (["0 0 * * *", None], "must be a list of strings"),
        ([["0 0 * * *"]], "must be a list of strings"),
        (["0 0 * * *", "99 * * * *"], '"99" is no minute'),
        (["0 0 * * *", ""], "has 0 fields"),
    ],
)
def test_several_crons(conn: Connection[Any], expressions: object, reason: str) -> None:
    fields = {"expressions": expressions, "timezone": "UTC", "interval": 0.0, "run_immediately": False}
    diag = refusal(conn, of_class(MULTIPLE, fields))

    assert diag.sqlstate == "PB016"
    assert reason in str(diag.message_primary)


@pytest.mark.parametrize(
    "date",
    [
        "2026-01-01",
        "2026-01-01T00:00:00",
        "2026-13-01T00:00:00+00:00",
        "2026-02-30T00:00:00+00:00",
        "2026-01-01T00:00:00+99:00",
        "2026-01-01T24:00:00+00:00",
        "2026-01-01T00:00:60+00:00",
        "infinity",
        "now",
        "",
        5,
        None,
    ],
)
def test_dates_of_events_that_are_none(conn: Connection[Any], date: object) -> None:
    fields = {"event_dates": ["2026-01-01T00:00:00+00:00", date], "restrict_to_events": False}

    assert refusal(conn, of_class(EVENTS, fields)).sqlstate == "PB016"


@pytest.mark.parametrize(
    ("fields", "sqlstate", "reason"),
    [
        ({"key_format": None}, "PB016", "key_format must be a string"),
        ({"key_format": 5}, "PB016", "key_format must be a string"),
        ({"key_format": ""}, "PB016", "key_format must not be empty"),
        ({"key_format": "%Q"}, "PB013", 'key_format "%Q"'),
        ({"key_format": "%F %s %Y"}, "PB013", 'has "%s"'),
        ({"key_format": "100 %"}, "PB013", 'has "%"'),
        ({"key_format": "%Ey"}, "PB013", 'has "%E"'),
        ({"key_format": "%-f"}, "PB013", 'has "%-f"'),
        ({"key_format": "%9999d"}, "PB013", 'has "%9999"'),
        ({"key_format": "%5%"}, "PB013", 'has "%5%"'),
        ({"key_format": "%:z"}, "PB013", 'has "%:"'),
        ({"key_format": "%c%^Z"}, "PB013", 'has "%^Z"'),
        ({"expression": "99 * * * *"}, "PB016", '"99" is no minute'),
        ({"timezone": "Mars"}, "PB016", "timezone"),
        ({"run_offset": 100000}, "PB016", "run_offset must be at most"),
    ],
)
def test_partitions(conn: Connection[Any], fields: dict[str, Any], sqlstate: str, reason: str) -> None:
    good = {"expression": "@daily", "timezone": "UTC", "run_offset": 0, "key_format": "%F"}
    with pytest.raises(psycopg.Error) as caught:
        conn.execute(
            "select from pgbackfill.timetable_infos(%s, '2026-01-01Z', '2026-01-02Z', '3.2.2')",
            [json.dumps(of_class(PARTITION, {**good, **fields}))],
        )

    assert caught.value.sqlstate == sqlstate
    assert reason in str(caught.value.diag.message_primary)


@pytest.mark.parametrize("key", ["expression", "timezone", "key_format", "run_offset"])
@pytest.mark.parametrize("version", [None, "3.2.2"])
def test_missing_keys_of_partitions(conn: Connection[Any], key: str, version: str | None) -> None:
    fields = {"expression": "@daily", "timezone": "UTC", "run_offset": 0, "key_format": "%F"}
    del fields[key]
    with pytest.raises(psycopg.Error) as caught:
        conn.execute(
            "select from pgbackfill.timetable_infos(%s, '2026-01-01Z', '2026-01-02Z', %s)",
            [json.dumps(of_class(PARTITION, fields)), version],
        )

    assert caught.value.sqlstate == "PB016"
    assert key in str(caught.value.diag.message_primary)


@pytest.mark.parametrize("version", ["", "3", "three", "3.x", "-3.2", "99999.1", "3.99999999999"])
def test_releases_that_are_none(conn: Connection[Any], version: str) -> None:
    with pytest.raises(psycopg.Error) as caught:
        conn.execute(
            "select from pgbackfill.timetable_infos(%s, '2026-01-01Z', '2026-01-02Z', %s)", [json.dumps(DAILY), version]
        )

    assert caught.value.sqlstate == "PB016"
    assert "airflow_version" in str(caught.value.diag.message_primary)


@pytest.mark.parametrize("inner", [None, 5, {}, {"__type": "airflow.timetables.simple.NullTimetable", "__var": {}}])
def test_what_is_inside_an_asset_or_time_schedule(conn: Connection[Any], inner: object) -> None:
    outer = of_class("airflow.timetables.assets.AssetOrTimeSchedule", {"timetable": inner})

    assert refusal(conn, outer).sqlstate in {"PB003", "PB016"}


def test_asset_or_time_schedules_do_not_nest(conn: Connection[Any]) -> None:
    once = of_class("airflow.timetables.assets.AssetOrTimeSchedule", {"timetable": DAILY})
    twice = of_class("airflow.timetables.assets.AssetOrTimeSchedule", {"timetable": once})

    assert refusal(conn, twice).sqlstate == "PB016"


@pytest.mark.parametrize("inner", [[5], None, "x"])
def test_a_partition_inside_that_is_none(conn: Connection[Any], inner: object) -> None:
    outer = of_class(
        "airflow.timetables.assets.AssetOrTimeSchedule", {"timetable": {"__type": PARTITION, "__var": inner}}
    )

    assert refusal(conn, outer).sqlstate == "PB016"


def test_more_slots_than_anybody_wants(conn: Connection[Any]) -> None:
    diag = refusal(conn, cron(expression="* * * * * *"), "0001-01-01Z", "9999-01-01Z")

    assert diag.sqlstate == "PB016"
    assert "more than 10000000 slots" in str(diag.message_primary)


def test_a_delta_smaller_than_a_float(conn: Connection[Any]) -> None:
    with pytest.raises(psycopg.Error) as caught:
        conn.execute(
            """
            select from pgbackfill.timetable_infos(
              '{"__type": "airflow.timetables.interval.DeltaDataIntervalTimetable", "__var": {"delta": 1e-400}}',
              '2026-01-01Z', '2026-01-02Z'
            )
            """
        )

    assert caught.value.sqlstate == "PB016"


def test_a_logical_date_before_the_calendar(conn: Connection[Any]) -> None:
    diag = refusal(conn, cron(interval={"years": 6700}), "0001-01-01Z", "0001-01-03Z")

    assert diag.sqlstate == "PB016"
    assert "leads out of the years" in str(diag.message_primary)
