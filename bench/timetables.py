"""The slots of a timetable: Airflow's own iteration, and timetable_infos with every row sent to the client."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from psycopg import Connection
from support.airflow import AirflowDatabase
from timetable.cases import DATA_INTERVAL, DELTA_TRIGGER, MULTIPLE, PARTITION, TRIGGER

FIRST = datetime(2016, 1, 1, tzinfo=timezone.utc)
CRON = {"expression": "*/5 * * * *", "timezone": "Europe/Berlin"}
TRIGGERS = {"interval": 0.0, "run_immediately": False}


@dataclass(frozen=True)
class Schedule:
    """A timetable, and how many years of it are asked for."""

    name: str
    timetable: dict[str, Any]
    years: int

    @property
    def last(self) -> datetime:
        return FIRST.replace(year=FIRST.year + self.years)


@dataclass(frozen=True)
class Iteration:
    """Seconds: Airflow's of one iteration, ours one sample a round; the memory is the most that a server process had, its
    programs and libraries with it, shared buffers without."""

    name: str
    years: int
    slots: int
    airflow: float
    timetable_infos: list[float]
    last_day: list[float]
    """The same schedule, asked for the last day of those years only."""
    mebibytes: float | None
    """None where /proc does not tell."""
    mebibytes_of_a_year: float | None


def _schedule(name: str, timetable_class: str, fields: dict[str, Any], years: int) -> Schedule:
    return Schedule(name, {"__type": timetable_class, "__var": fields}, years)


SCHEDULES = [
    _schedule("cron", TRIGGER, {**CRON, **TRIGGERS}, 10),
    _schedule("cron, data intervals", DATA_INTERVAL, CRON, 1),
    _schedule(
        "several crons",
        MULTIPLE,
        {"expressions": ["*/5 * * * *", "17 3 * * *"], "timezone": "Europe/Berlin", **TRIGGERS},
        1,
    ),
    _schedule("delta", DELTA_TRIGGER, {"delta": 300.0, "interval": 0.0}, 1),
    _schedule(
        "cron partitions", PARTITION, {**CRON, **TRIGGERS, "run_offset": 0, "key_format": "%Y-%m-%dT%H:%M:%S"}, 1
    ),
]


def measure(databases: Sequence[AirflowDatabase], rounds: int, say: Callable[[str], None]) -> list[list[Iteration]]:
    """What each database's server needs, in their order; Airflow's own iteration does not ask the database, and runs once."""
    iterations: list[list[Iteration]] = [[] for _ in databases]
    for schedule in SCHEDULES:
        say(schedule.name)
        case = {
            "timetable": schedule.timetable,
            "from_date": FIRST.isoformat(),
            "to_date": schedule.last.isoformat(),
        }
        theirs = databases[0].script("time_infos.py", case)
        for database, found in zip(databases, iterations, strict=True):
            found.append(_iteration(database, schedule, theirs["slots"], theirs["seconds"], rounds))
    return iterations


def _iteration(database: AirflowDatabase, schedule: Schedule, slots: int, airflow: float, rounds: int) -> Iteration:
    def ask(from_date: datetime, to_date: datetime) -> tuple[int, float, float | None]:
        return _ask(database, schedule.timetable, from_date, to_date)

    whole = [ask(FIRST, schedule.last) for _ in range(rounds)]
    assert {counted for counted, _, _ in whole} == {slots}
    day = [ask(schedule.last - timedelta(days=1), schedule.last) for _ in range(rounds)]
    _, _, peak_of_a_year = ask(FIRST, FIRST.replace(year=FIRST.year + 1))
    return Iteration(
        schedule.name,
        schedule.years,
        slots,
        airflow,
        [seconds for _, seconds, _ in whole],
        [seconds for _, seconds, _ in day],
        max((peak for _, _, peak in whole if peak is not None), default=None),
        peak_of_a_year,
    )


def _ask(
    database: AirflowDatabase, timetable: dict[str, Any], from_date: datetime, to_date: datetime
) -> tuple[int, float, float | None]:
    """How many slots there are, how long it took until the last one was here, and the peak memory of the server process."""
    with database.connect() as conn:
        start = time.perf_counter()
        slots = 0
        query = "copy (select * from pgbackfill.timetable_infos(%s, %s, %s)) to stdout"
        with conn.cursor().copy(query, [json.dumps(timetable), from_date, to_date]) as rows:
            for block in rows:
                slots += bytes(block).count(b"\n")
        return slots, time.perf_counter() - start, _peak_memory(conn)


def _peak_memory(conn: Connection[Any]) -> float | None:
    status = Path(f"/proc/{conn.info.backend_pid}/status")
    if not status.exists():
        return None
    kibibytes = dict(re.findall(r"^(VmHWM|RssShmem):\s+(\d+) kB$", status.read_text(), re.MULTILINE))
    return (int(kibibytes["VmHWM"]) - int(kibibytes["RssShmem"])) / 1024
