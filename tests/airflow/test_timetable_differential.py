"""The slots of random timetables of every built-in class are those that each Airflow itself yields.

PGBACKFILL_TEST_SEED repeats a run; PGBACKFILL_TEST_CASES draws another number of cases.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from datetime import datetime
from itertools import count, islice
from random import Random, SystemRandom
from typing import Any

import psycopg
import pytest
from psycopg import Connection
from support.airflow import SCRIPTS, Airflow
from timetable.cases import DELTA_DATA_INTERVAL, DELTA_TRIGGER, DRAW, MULTIPLE, PARTITION, ZONES, Case, draw_case
from timetable.hard_cases import HARD_CASES
from timetable.other_hard_cases import OTHER_HARD_CASES

CASES = {"3.3.2": 3_050, "3.2.2": 700, "3.1.8": 700, "3.0.6": 700}

# Of 3.0.6's time is croniter 6.0.0, which refuses the nearest weekday (15W), and which after a month that lacks one of
# several days (1,31) loses the first days of the next. Of these it is asked only for what it reads as later ones do.
OLD_CRONITER = {"3.0.6"}

# What iter_infos.py says of a case that it gives up on: some steps of a few microseconds last years.
TOO_MANY = "more slots than are compared"

every_release = pytest.mark.parametrize("airflow", CASES, indirect=True)

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


def is_read_alike(airflow: Airflow, case: Case) -> bool:
    """Whether the croniter of that release's time reads the case as later ones do."""
    fields = case.timetable["__var"].get("timetable", case.timetable)["__var"]
    expressions = [*fields.get("expressions", []), fields.get("expression", "@daily")]
    return airflow.version not in OLD_CRONITER or all(
        len(parts) < 5 or is_day_of_every_month(parts[2]) for parts in map(str.split, expressions)
    )


def is_day_of_every_month(field: str) -> bool:
    """Whether a day-of-month field names one day, or only days that every month has."""
    if re.fullmatch(r"[*?lL]|\d+", field):
        return True
    ranges = [re.fullmatch(r"(\d+)(?:-(\d+)(?:/\d+)?)?", item) for item in field.split(",")]
    return all(found and int(found[1]) <= int(found[2] or found[1]) <= 28 for found in ranges)


def our_slots(conn: Connection[Any], case: Case, airflow_version: str) -> list[Slot] | str:
    """The slots of a case in SQL, or the SQLSTATE that refuses it."""
    try:
        rows = conn.execute(
            """
            select logical_date, data_interval_start, data_interval_end, run_after, partition_key, partition_date
            from pgbackfill.timetable_infos(%s, %s, %s, %s)
            """,
            [json.dumps(case.timetable), case.from_date, case.to_date, airflow_version],
        ).fetchall()
    except psycopg.Error as error:
        return error.sqlstate or str(error)
    return [tuple(row) for row in rows]


def agrees(case: Case, ours: list[Slot] | str, theirs: list[Slot], error: str | None) -> bool:
    """Whether SQL does what Airflow does, or goes on rightly where Airflow gives up in the middle."""
    inner = case.timetable["__var"].get("timetable", case.timetable)
    name = inner["__type"]
    if error is None:
        return ours == theirs
    if error.startswith(("CroniterBadCronError", "CroniterNotAlphaError", "CroniterUnsupportedSyntaxError")):
        return ours == "PB016"
    if error.startswith("undecodable"):  # no cron at all, or one that croniter stumbles over, such as 1-5/0
        return ours == "PB016"
    if "did not advance" in error:
        # A delta of zero leads nowhere; a cron's intervals do so only beside a change of the clock.
        return ours == "PB016" if name in (DELTA_TRIGGER, DELTA_DATA_INTERVAL) else ours[: len(theirs)] == theirs
    # "failed to find next date": there is none, however far one looks. Of several crons another may have one, or be bad.
    return error.startswith("CroniterBadDateError") and (
        ours == "PB016" or ours[: len(theirs)] == theirs if name == MULTIPLE else ours == theirs
    )


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
def clock_changes(conn: Connection[Any], airflow: Airflow) -> dict[str | int, list[datetime]]:
    """The changes of each zone's clock, leaving out zones whose latest rules Airflow's or the server's database lacks."""
    named = [zone for zone in ZONES if isinstance(zone, str)]
    printed = json.loads(run_script(airflow, "zone_changes.py", json.dumps(named)))
    theirs = {zone: [(datetime.fromisoformat(at), offset) for at, offset in printed[zone]] for zone in named}
    known_alike = [zone for zone in ZONES if isinstance(zone, int) or our_clock_changes(conn, zone) == theirs[zone]]

    print(f"zones left out: {sorted({*map(str, ZONES)} - {*map(str, known_alike)})}")
    assert len(known_alike) >= 40
    return {zone: [at for at, _ in theirs.get(str(zone), [])] for zone in known_alike}


@every_release
@pytest.mark.timeout(3600)
def test_random_cases(
    conn: Connection[Any],
    airflow: Airflow,
    clock_changes: dict[str | int, list[datetime]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    seed = int(os.environ.get("PGBACKFILL_TEST_SEED") or SystemRandom().randrange(2**32))
    number = int(os.environ.get("PGBACKFILL_TEST_CASES") or CASES[airflow.version])
    with capsys.disabled():
        print(f"\n{number} timetables against Airflow {airflow.version}: PGBACKFILL_TEST_SEED={seed}")
    random = Random(seed)
    classes = [name for name in DRAW if name != PARTITION or airflow.version >= "3.2"]
    drawn = (draw_case(random, clock_changes, classes) for _ in count())
    cases = list(islice((case for case in drawn if is_read_alike(airflow, case)), number))

    different = []
    for case, (theirs, error) in zip(cases, airflow_slots(airflow, cases), strict=True):
        if error == TOO_MANY:
            print(f"left out, because of its many slots: {case.as_json()}")
            continue
        ours = our_slots(conn, case, airflow.version)
        if not agrees(case, ours, theirs, error):
            different.append(f"{case.as_json()}\n  ours   {ours}\n  theirs {theirs} {error or ''}")

    assert not different, f"{len(different)} of {number} (seed {seed}):\n" + "\n".join(different[:10])


@every_release
def test_the_fixed_table_is_airflows(airflow: Airflow) -> None:
    hard_cases = [hard for hard in HARD_CASES if is_read_alike(airflow, hard.case)]
    answers = airflow_slots(airflow, [hard.case for hard in hard_cases])

    for hard, (theirs, error) in zip(hard_cases, answers, strict=True):
        intervals = [(slot[1], slot[2]) for slot in theirs]
        assert intervals == hard.intervals[: hard.airflow_gives_up_after], hard.reason
        assert (hard.airflow_gives_up_after is not None) == ("did not advance" in (error or "")), hard.reason


@every_release
def test_the_fixed_table_of_other_timetables_is_airflows(airflow: Airflow) -> None:
    hard_cases = [hard for hard in OTHER_HARD_CASES if airflow.version in hard.releases]
    answers = airflow_slots(airflow, [hard.case for hard in hard_cases])

    for hard, (theirs, error) in zip(hard_cases, answers, strict=True):
        assert theirs == hard.rows, hard.reason
        assert error is None or error.startswith("CroniterBadDateError"), hard.reason  # no date is left
