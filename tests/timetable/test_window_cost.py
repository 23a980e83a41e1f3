"""What the slots of a window cost depends on the window, not on where it lies in a long schedule: the plans say so."""

from __future__ import annotations

import json
from typing import Any

import pytest
from psycopg import Connection
from psycopg.errors import Diagnostic
from timetable.cases import DATA_INTERVAL, MULTIPLE, PARTITION, TRIGGER

CRON = {"timezone": "Europe/Berlin", "interval": 0.0, "run_offset": 0, "key_format": "%FT%T", "run_immediately": False}
TIMETABLES = [
    {"__type": TRIGGER, "__var": {**CRON, "expression": "*/5 * * * *"}},
    {"__type": DATA_INTERVAL, "__var": {**CRON, "expression": "*/5 * * * *"}},
    {"__type": MULTIPLE, "__var": {**CRON, "expressions": ["*/5 * * * *", "1-59/5 * * * *"]}},
    {"__type": PARTITION, "__var": {**CRON, "expression": "*/5 * * * *"}},
]


def rows_of_plans(conn: Connection[Any], timetable: dict[str, Any], from_date: str, to_date: str) -> tuple[int, int]:
    """How many slots there are, and how many rows all nodes of all plans made for them."""
    plans: list[dict[str, Any]] = []

    def keep(diag: Diagnostic) -> None:
        _, _, plan = str(diag.message_primary).partition("plan:\n")
        plans.append(json.loads(plan)["Plan"])

    conn.add_notice_handler(keep)
    try:
        slots = conn.execute(
            "select from pgbackfill.timetable_infos(%s, %s, %s)", [json.dumps(timetable), from_date, to_date]
        ).rowcount
    finally:
        conn.remove_notice_handler(keep)
    return slots, sum(map(rows_of_node, plans))


def rows_of_node(node: dict[str, Any]) -> int:
    own = float(node["Actual Rows"]) * float(node["Actual Loops"])
    return round(own) + sum(map(rows_of_node, node.get("Plans", [])))


@pytest.fixture
def explained(conn: Connection[Any]) -> Connection[Any]:
    """A connection that is sent the plan of every statement, those inside functions too."""
    conn.execute("load 'auto_explain'")
    for name, value in {
        "auto_explain.log_min_duration": "0",
        "auto_explain.log_analyze": "on",
        "auto_explain.log_timing": "off",
        "auto_explain.log_nested_statements": "on",
        "auto_explain.log_format": "json",
        "client_min_messages": "log",
    }.items():
        conn.execute("select set_config(%s, %s, false)", [name, value])
    return conn


@pytest.mark.parametrize("timetable", TIMETABLES, ids=lambda t: t["__type"].rsplit(".")[-1])
def test_a_day_costs_the_same_wherever_it_is(explained: Connection[Any], timetable: dict[str, Any]) -> None:
    slots, rows = rows_of_plans(explained, timetable, "2016-01-15T00:00Z", "2016-01-15T23:59Z")
    later_slots, later_rows = rows_of_plans(explained, timetable, "2025-12-15T00:00Z", "2025-12-15T23:59Z")
    month_slots, month_rows = rows_of_plans(explained, timetable, "2025-12-01T00:00Z", "2025-12-30T23:59Z")

    assert slots == later_slots
    assert rows == pytest.approx(later_rows, rel=0.02)
    assert month_slots == 30 * slots
    assert month_rows < 30 * rows
    assert rows < 30 * slots
