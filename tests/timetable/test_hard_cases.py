"""The fixed tables of hard cases: gap and fold, lost days, rare days, croniter's own reading, and what is no cron."""

from __future__ import annotations

import json
from typing import Any

import pytest
from psycopg import Connection
from timetable.cases import DATA_INTERVAL
from timetable.hard_cases import HARD_CASES, HardCase
from timetable.other_hard_cases import OTHER_HARD_CASES, OtherHardCase


@pytest.mark.parametrize("hard", HARD_CASES, ids=lambda h: f"{h.timetable_class.rsplit('.')[-1]}: {h.reason}")
def test_slots_are_those_of_the_table(conn: Connection[Any], hard: HardCase) -> None:
    rows = conn.execute(
        """
        select logical_date, data_interval_start, data_interval_end, run_after, partition_key, partition_date
        from pgbackfill.timetable_infos(%s, %s, %s)
        """,
        [json.dumps(hard.case.timetable), hard.case.from_date, hard.case.to_date],
    ).fetchall()

    assert rows == [(start, start, end, end, None, None) for start, end in hard.intervals]


@pytest.mark.parametrize("hard", OTHER_HARD_CASES, ids=lambda h: f"{h.timetable_class.rsplit('.')[-1]}: {h.reason}")
def test_slots_of_other_timetables_are_those_of_the_table(conn: Connection[Any], hard: OtherHardCase) -> None:
    rows = conn.execute(
        """
        select logical_date, data_interval_start, data_interval_end, run_after, partition_key, partition_date
        from pgbackfill.timetable_infos(%s, %s, %s, %s)
        """,
        [json.dumps(hard.case.timetable), hard.case.from_date, hard.case.to_date, hard.releases[0]],
    ).fetchall()

    assert rows == hard.rows


def test_an_asset_or_time_schedule_has_the_slots_of_its_timetable(conn: Connection[Any]) -> None:
    inner = {"__type": DATA_INTERVAL, "__var": {"expression": "@daily", "timezone": "UTC"}}
    outer = {
        "__type": "airflow.timetables.assets.AssetOrTimeSchedule",
        "__var": {"timetable": inner, "asset_condition": {}},
    }

    of_inner, of_outer = (
        conn.execute(
            "select i::text from pgbackfill.timetable_infos(%s, '2026-03-01Z', '2026-03-03Z') i", [json.dumps(t)]
        ).fetchall()
        for t in (inner, outer)
    )

    assert len(of_inner) == 3
    assert of_outer == of_inner
