"""The slots of random cron timetables are those that Airflow 3.3.2 itself yields."""

from __future__ import annotations

import json
import os
import subprocess
from datetime import datetime
from random import Random, SystemRandom
from typing import Any

import psycopg
import pytest
from psycopg import Connection
from support.airflow import SCRIPTS, Airflow
from timetable.cases import ZONES, Case, draw_case
from timetable.hard_cases import HARD_CASES

CASES = 5_000

Slot = tuple[datetime | None, datetime | None, datetime | None, datetime | None, str | None, datetime | None]


def run_script(airflow: Airflow, name: str, given: str) -> str:
    """What one of `scripts/` prints when that Airflow's own Python runs it."""
    done = subprocess.run(
        [airflow.python, str(SCRIPTS / name)], input=given, env=airflow.env, capture_output=True, text=True, check=True
    )
    return done.stdout


def airflow_slots(airflow: Airflow, cases: list[Case]) -> list[tuple[list[Slot], str | None]]:
    """Airflow's slots of each case, and the error at which it stopped short of the window's end, if it did."""
    printed = run_script(airflow, "iter_infos.py", "".join(f"{case.as_json()}\n" for case in cases))
    answers = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    assert len(answers) == len(cases)

    def date(text: str | None) -> datetime | None:
        return datetime.fromisoformat(text) if text else None

    return [
        ([(date(s[0]), date(s[1]), date(s[2]), date(s[3]), s[4], date(s[5])) for s in answer["slots"]], answer["error"])
        for answer in answers
    ]


def our_slots(conn: Connection[Any], case: Case) -> list[Slot] | str:
    """The slots of a case in SQL, or the SQLSTATE that refuses it."""
    try:
        rows = conn.execute(
            """
            select logical_date, data_interval_start, data_interval_end, run_after, partition_key, partition_date
            from pgbackfill.timetable_infos(%s, %s, %s)
            """,
            [json.dumps(case.timetable), case.from_date, case.to_date],
        ).fetchall()
    except psycopg.Error as error:
        return error.sqlstate or str(error)
    return [tuple(row) for row in rows]


def agrees(ours: list[Slot] | str, theirs: list[Slot], error: str | None) -> bool:
    """Whether SQL does what Airflow does, or goes on rightly where Airflow gives up in the middle."""
    if error is None:
        return ours == theirs
    if error.startswith(("CroniterBadCronError", "CroniterNotAlphaError", "CroniterUnsupportedSyntaxError")):
        return ours == "PB016"
    if "did not advance past" in error:
        return ours[: len(theirs)] == theirs
    # "failed to find next date": there is none, however far one looks.
    return error.startswith("CroniterBadDateError") and ours == theirs


def our_clock_changes(conn: Connection[Any], zone: str) -> list[tuple[datetime, int]]:
    """The changes of a zone's clock from 1985 to 2044 that the server knows, with the new offset from UTC in seconds."""
    return conn.execute(
        """
        with recursive change as (
          select '1985-01-01Z'::timestamptz as at
          union all
          select pgbackfill._zone_change(%(zone)s, at, '2045-01-01Z') from change where at is not null
        )
        select at, extract(epoch from at at time zone %(zone)s - at at time zone 'UTC')::integer
        from change
        where at > '1985-01-01Z'
        order by at
        """,
        {"zone": zone},
    ).fetchall()


@pytest.fixture
def clock_changes(conn: Connection[Any], airflow_332: Airflow) -> dict[str | int, list[datetime]]:
    """The changes of each zone's clock, leaving out zones whose latest rules Airflow's or the server's database lacks."""
    named = [zone for zone in ZONES if isinstance(zone, str)]
    printed = json.loads(run_script(airflow_332, "zone_changes.py", json.dumps(named)))
    theirs = {zone: [(datetime.fromisoformat(at), offset) for at, offset in printed[zone]] for zone in named}
    known_alike = [zone for zone in ZONES if isinstance(zone, int) or our_clock_changes(conn, zone) == theirs[zone]]

    print(f"zones left out: {sorted({*map(str, ZONES)} - {*map(str, known_alike)})}")
    assert len(known_alike) >= len(ZONES) - 5
    return {zone: [at for at, _ in theirs.get(str(zone), [])] for zone in known_alike}


@pytest.mark.timeout(1800)
def test_random_cases(
    conn: Connection[Any], airflow_332: Airflow, clock_changes: dict[str | int, list[datetime]]
) -> None:
    seed = int(os.environ.get("PGBACKFILL_TEST_SEED") or SystemRandom().randrange(2**32))
    print(f"PGBACKFILL_TEST_SEED={seed}")
    random = Random(seed)
    cases = [draw_case(random, clock_changes) for _ in range(CASES)]

    different = []
    for case, (theirs, error) in zip(cases, airflow_slots(airflow_332, cases), strict=True):
        ours = our_slots(conn, case)
        if not agrees(ours, theirs, error):
            different.append(f"{case.as_json()}\n  ours   {ours}\n  theirs {theirs} {error or ''}")

    assert not different, f"{len(different)} of {CASES} (seed {seed}):\n" + "\n".join(different[:10])


def test_the_fixed_table_is_airflows(airflow_332: Airflow) -> None:
    answers = airflow_slots(airflow_332, [hard.case for hard in HARD_CASES])

    for hard, (theirs, error) in zip(HARD_CASES, answers, strict=True):
        intervals = [(slot[1], slot[2]) for slot in theirs]
        assert intervals == hard.intervals[: hard.airflow_gives_up_after], hard.reason
        assert (hard.airflow_gives_up_after is not None) == ("did not advance" in (error or "")), hard.reason
