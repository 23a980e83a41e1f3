"""The slots depend on nothing that a session can set."""

from __future__ import annotations

import json
from typing import Any

import pytest
from psycopg import Connection
from timetable.hard_cases import HARD_CASES

SETTINGS = {
    "TimeZone": ["Pacific/Apia", "America/St_Johns", "Australia/Lord_Howe"],
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


def slots(conn: Connection[Any]) -> list[list[tuple[Any, ...]]]:
    """The slots of every hard case, as numbers, which no session setting formats."""
    return [
        conn.execute(
            """
            select extract(epoch from logical_date), extract(epoch from data_interval_end)
            from pgbackfill.timetable_infos(%s, %s, %s)
            """,
            [json.dumps(hard.case.timetable), hard.case.from_date, hard.case.to_date],
        ).fetchall()
        for hard in HARD_CASES
    ]


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in SETTINGS.items() for value in values])
def test_slots_are_the_same_whatever_the_session_sets(conn: Connection[Any], name: str, value: str) -> None:
    expected = [[(start.timestamp(), end.timestamp()) for start, end in hard.intervals] for hard in HARD_CASES]

    conn.execute("select set_config(%s, %s, false)", [name, value])

    assert slots(conn) == expected


def test_the_session_keeps_its_own_settings(conn: Connection[Any]) -> None:
    shown = "select setting from pg_settings where name in ('TimeZone', 'search_path', 'plan_cache_mode') order by name"
    conn.execute("set timezone = 'Asia/Tokyo'")
    before = conn.execute(shown).fetchall()

    slots(conn)

    assert conn.execute(shown).fetchall() == before
