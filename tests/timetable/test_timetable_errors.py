"""What is no timetable, or none that SQL can evaluate, is refused with its SQLSTATE and a reason, and never loops."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest
from psycopg import Connection
from timetable.cases import DATA_INTERVAL, TRIGGER

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
