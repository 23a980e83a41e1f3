"""The slots depend on nothing that a session can set."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from psycopg import Connection
from timetable.hard_cases import HARD_CASES
from timetable.other_hard_cases import OTHER_HARD_CASES

SETTINGS = {
    "TimeZone": ["Pacific/Apia", "America/St_Johns", "Australia/Lord_Howe", "UTC-5", "<UTC>+3"],
    "DateStyle": ["SQL, DMY", "German", "Postgres, MDY"],
    "IntervalStyle": ["sql_standard", "iso_8601", "postgres_verbose"],
    "extra_float_digits": ["-15"],
    "search_path": ['"$user", pg_temp'],
    "default_transaction_isolation": ["serializable"],
    "enable_hashagg": ["off"],
    "enable_nestloop": ["off"],
    "jit_above_cost": ["0"],
    "work_mem": ["64kB"],
    "lc_numeric": ["C"],
    "timezone_abbreviations": ["India"],
}


CASES = [(hard.case, "3.3.2") for hard in HARD_CASES] + [(hard.case, hard.releases[0]) for hard in OTHER_HARD_CASES]


def slots(conn: Connection[Any]) -> list[list[tuple[Any, ...]]]:
    """The slots of every hard case, dates as numbers, which no session setting formats."""
    return [
        conn.execute(
            """
            select extract(epoch from logical_date), extract(epoch from run_after), partition_key
            from pgbackfill.timetable_infos(%s, %s, %s, %s)
            """,
            [json.dumps(case.timetable), case.from_date, case.to_date, airflow_version],
        ).fetchall()
        for case, airflow_version in CASES
    ]


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in SETTINGS.items() for value in values])
def test_slots_are_the_same_whatever_the_session_sets(conn: Connection[Any], name: str, value: str) -> None:
    expected = slots(conn)

    conn.execute("select set_config(%s, %s, false)", [name, value])

    assert slots(conn) == expected


def test_the_slots_compared_above_are_those_of_the_tables(conn: Connection[Any]) -> None:
    of_crons = [[(start.timestamp(), end.timestamp(), None) for start, end in hard.intervals] for hard in HARD_CASES]
    of_others = [
        [(start and start.timestamp(), run_after.timestamp(), key) for start, _, _, run_after, key, _ in hard.rows]
        for hard in OTHER_HARD_CASES
    ]

    assert [[(*map(as_float, row[:2]), row[2]) for row in rows] for rows in slots(conn)] == of_crons + of_others


def as_float(number: Decimal | None) -> float | None:
    return None if number is None else float(number)


def test_the_session_keeps_its_own_settings(conn: Connection[Any]) -> None:
    shown = "select setting from pg_settings where name in ('TimeZone', 'search_path', 'plan_cache_mode') order by name"
    conn.execute("set timezone = 'Asia/Tokyo'")
    before = conn.execute(shown).fetchall()

    slots(conn)

    assert conn.execute(shown).fetchall() == before
