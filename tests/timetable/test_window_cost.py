"""What the slots of a window cost depends on the window, not on where it lies in a long schedule: the plans say so."""

from __future__ import annotations

import json
from typing import Any

import pytest
from psycopg import Connection
from support.plans import rows_of_plans, send_plans
from timetable.cases import DATA_INTERVAL, MULTIPLE, PARTITION, TRIGGER

CRON = {"timezone": "Europe/Berlin", "interval": 0.0, "run_offset": 0, "key_format": "%FT%T", "run_immediately": False}
TIMETABLES = [
    {"__type": TRIGGER, "__var": {**CRON, "expression": "*/5 * * * *"}},
    {"__type": DATA_INTERVAL, "__var": {**CRON, "expression": "*/5 * * * *"}},
    {"__type": MULTIPLE, "__var": {**CRON, "expressions": ["*/5 * * * *", "1-59/5 * * * *"]}},
    {"__type": PARTITION, "__var": {**CRON, "expression": "*/5 * * * *"}},
]


def rows_for(conn: Connection[Any], timetable: dict[str, Any], from_date: str, to_date: str) -> tuple[int, int]:
    statement = "select from pgbackfill.timetable_infos(%s, %s, %s)"
    return rows_of_plans(conn, statement, [json.dumps(timetable), from_date, to_date])


@pytest.mark.parametrize("timetable", TIMETABLES, ids=lambda t: t["__type"].rsplit(".")[-1])
def test_a_day_costs_the_same_wherever_it_is(conn: Connection[Any], timetable: dict[str, Any]) -> None:
    send_plans(conn)
    slots, rows = rows_for(conn, timetable, "2016-01-15T00:00Z", "2016-01-15T23:59Z")
    later_slots, later_rows = rows_for(conn, timetable, "2025-12-15T00:00Z", "2025-12-15T23:59Z")
    month_slots, month_rows = rows_for(conn, timetable, "2025-12-01T00:00Z", "2025-12-30T23:59Z")

    assert slots == later_slots
    assert rows == pytest.approx(later_rows, rel=0.02)
    assert month_slots == 30 * slots
    assert month_rows < 30 * rows
    assert rows < 30 * slots
