"""Random cases for the timetables: any built-in class, a zone, and a window that likes changes of the clock."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from random import Random
from typing import Any

from timetable.expressions import draw_expression

# Every kind of transition: an hour, half an hour, two hours, a day; at midnight, backwards in summer (Dublin, Casablanca),
# summer time given up or taken up, offsets that are no whole hours, and none at all.
ZONES: list[str | int] = [
    "UTC",
    "Europe/Berlin",
    "Europe/London",
    "Europe/Dublin",
    "Europe/Lisbon",
    "Europe/Moscow",
    "Europe/Istanbul",
    "Europe/Volgograd",
    "Atlantic/Azores",
    "America/New_York",
    "America/Chicago",
    "America/Los_Angeles",
    "America/St_Johns",
    "America/Nuuk",
    "America/Scoresbysund",
    "America/Sao_Paulo",
    "America/Santiago",
    "America/Asuncion",
    "America/Havana",
    "America/Caracas",
    "America/Mexico_City",
    "Africa/Cairo",
    "Africa/Casablanca",
    "Africa/Khartoum",
    "Asia/Amman",
    "Asia/Tehran",
    "Asia/Kathmandu",
    "Asia/Kolkata",
    "Asia/Pyongyang",
    "Asia/Tokyo",
    "Asia/Beirut",
    "Asia/Gaza",
    "Antarctica/Troll",
    "Antarctica/Casey",
    "Australia/Adelaide",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Pacific/Chatham",
    "Pacific/Kwajalein",
    "Pacific/Norfolk",
    "Pacific/Tongatapu",
    "Etc/GMT+5",
    20700,
    -12600,
]

TRIGGER = "airflow.timetables.trigger.CronTriggerTimetable"
DATA_INTERVAL = "airflow.timetables.interval.CronDataIntervalTimetable"
MULTIPLE = "airflow.timetables.trigger.MultipleCronTriggerTimetable"
PARTITION = "airflow.timetables.trigger.CronPartitionTimetable"
DELTA_TRIGGER = "airflow.timetables.trigger.DeltaTriggerTimetable"
DELTA_DATA_INTERVAL = "airflow.timetables.interval.DeltaDataIntervalTimetable"
EVENTS = "airflow.timetables.events.EventsTimetable"
ASSET_OR_TIME = "airflow.timetables.assets.AssetOrTimeSchedule"

EARLIEST = datetime(1985, 1, 1, tzinfo=timezone.utc)
LATEST = datetime(2045, 1, 1, tzinfo=timezone.utc)
MAX_SLOTS = 120
DAY = 86400.0

DIRECTIVES = "YymBbdeHIkljMSfpPaAuwUWVGgCzZcxXDFTRrhnt%"
FLAGGED_DIRECTIVES = "YymBbdeHIkljMSpPaAuwUWVGgCh"

Fields = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A serialized timetable and a window."""

    timetable: dict[str, Any]
    from_date: datetime
    to_date: datetime

    def as_json(self) -> str:
        """One line, as `iter_infos.py` reads it."""
        dates = {"from_date": self.from_date.isoformat(), "to_date": self.to_date.isoformat()}
        return json.dumps({"timetable": self.timetable, **dates})


def draw_case(random: Random, clock_changes: dict[str | int, list[datetime]], classes: list[str]) -> Case:
    """A case of one of `classes` in one of the zones of `clock_changes`, whose window holds a bounded number of slots."""
    name = random.choice(classes)
    zone = random.choice(list(clock_changes))
    fields, slots_a_day = DRAW[name](random, zone)
    from_date, to_date = draw_window(random, clock_changes[zone], max_days=MAX_SLOTS / slots_a_day)
    if name == EVENTS:
        fields["event_dates"] = draw_events(random, from_date, to_date)
    timetable = {"__type": name, "__var": fields}
    if random.random() < 0.02:
        condition = {"__type": "asset_all", "objects": []}
        timetable = {"__type": ASSET_OR_TIME, "__var": {"timetable": timetable, "asset_condition": condition}}
    return Case(timetable, from_date, to_date)


def draw_cron_data_interval(random: Random, zone: str | int) -> tuple[Fields, float]:
    """The fields of a CronDataIntervalTimetable, and about how many slots it makes a day; so do the next six."""
    expression, slots_a_day = draw_expression(random)
    return {"expression": expression, "timezone": zone}, slots_a_day


def draw_cron_trigger(random: Random, zone: str | int) -> tuple[Fields, float]:
    fields, slots_a_day = draw_cron_data_interval(random, zone)
    return {**fields, "interval": draw_interval(random), "run_immediately": False}, slots_a_day


def draw_multiple_cron_trigger(random: Random, zone: str | int) -> tuple[Fields, float]:
    drawn = [draw_expression(random) for _ in range(random.choice([0, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 4]))]
    fields = {"timezone": zone, "interval": draw_interval(random), "run_immediately": False}
    return {"expressions": [text for text, _ in drawn], **fields}, sum(rate for _, rate in drawn) or 1


def draw_cron_partition(random: Random, zone: str | int) -> tuple[Fields, float]:
    fields, slots_a_day = draw_cron_data_interval(random, zone)
    offset = random.choice([None, 0, 0, 0, 1, -1, random.randint(-9, 9)])
    return {
        **fields,
        "run_offset": offset,
        "key_format": draw_key_format(random),
        "run_immediately": False,
    }, slots_a_day


def draw_delta_data_interval(random: Random, _zone: str | int) -> tuple[Fields, float]:
    delta = draw_delta(random)
    return {"delta": delta}, DAY / max(seconds_of(delta), 0.001)


def draw_delta_trigger(random: Random, zone: str | int) -> tuple[Fields, float]:
    fields, slots_a_day = draw_delta_data_interval(random, zone)
    return {**fields, "interval": draw_interval(random)}, slots_a_day


def draw_events_options(random: Random, _zone: str | int) -> tuple[Fields, float]:
    """All but the dates, which depend on the window."""
    return {"restrict_to_events": random.random() < 0.5, "description": None, "_summary": "events"}, random.choice(
        [1, 50]
    )


DRAW: dict[str, Callable[[Random, str | int], tuple[Fields, float]]] = {
    DATA_INTERVAL: draw_cron_data_interval,
    TRIGGER: draw_cron_trigger,
    MULTIPLE: draw_multiple_cron_trigger,
    PARTITION: draw_cron_partition,
    DELTA_DATA_INTERVAL: draw_delta_data_interval,
    DELTA_TRIGGER: draw_delta_trigger,
    EVENTS: draw_events_options,
}


def draw_events(random: Random, from_date: datetime, to_date: datetime) -> list[str]:
    """Dates in and around the window with various offsets from UTC, some twice; mostly in order, as Airflow sorts them."""
    length = max(to_date - from_date, timedelta(hours=1))
    dates = [
        from_date,
        to_date,
        *(from_date + (random.random() * 1.4 - 0.2) * length for _ in range(random.randint(0, 30))),
    ]
    dates = random.choices(dates, k=random.randint(0, len(dates)))
    if random.random() < 0.8:
        dates.sort()
    return [draw_offset(random, at).isoformat(sep="T") for at in dates]


def draw_offset(random: Random, at: datetime) -> datetime:
    """The same moment with another offset from UTC."""
    return at.astimezone(timezone(timedelta(minutes=random.choice([0, 0, 60, -330, 345, 840, -720]))))


def draw_key_format(random: Random) -> str:
    """A strftime format: the default, a plain one, or any directives with any flags."""
    kind = random.random()
    if kind < 0.4:
        return random.choice(["%Y-%m-%dT%H:%M:%S", "%Y-%m-%d", "%Y%m%d", "%Y-W%V", "%d.%m.%y %H:%M", "no directive"])
    return "".join(draw_directive(random) for _ in range(random.randint(1, 6)))


def draw_directive(random: Random) -> str:
    kind = random.random()
    if kind < 0.25:
        return random.choice(["-", " ", '"', "\\", "YYYY", "é", "'"])
    if kind < 0.7:
        return f"%{random.choice(DIRECTIVES)}"
    flags = "".join(random.choices("-_0^#", k=random.choice([0, 1, 1, 1, 2])))
    width = random.choice(["", "", "", "1", "5", "12"])
    return f"%{flags}{width}{random.choice(FLAGGED_DIRECTIVES)}"


def draw_window(random: Random, changes: list[datetime], max_days: float) -> tuple[datetime, datetime]:
    """A window at most `max_days` long (and five years), two times out of three around a change of the clock."""
    days = min(max_days, 1830) * random.choice([0, random.random() / 20, random.random(), 1])
    if changes and random.random() < 0.67:
        start = random.choice(changes) - timedelta(days=random.random() * max(days, 0.2))
        start += timedelta(hours=random.choice([-3, -1, 0, 0, 0, 1]))
    else:
        start = EARLIEST + random.random() * (LATEST - EARLIEST)
    end = start + timedelta(days=days)
    units = [unit for unit in (0, 1, 900, 900, 1800, 3600, 3600, DAY) if unit <= max_days * DAY]
    return round_some(random, start, units), max(round_some(random, end, units), round_some(random, start, units))


def round_some(random: Random, at: datetime, units: list[float]) -> datetime:
    """Dates as people give them: on a quarter, an hour, a day, a second; some with microseconds."""
    unit = random.choice(units)
    if not unit:
        return at
    return at - timedelta(seconds=at.timestamp() % unit)


def draw_delta(random: Random) -> float | dict[str, Any]:
    """A timedelta in seconds, or a relativedelta; mostly one that goes forward."""
    kind = random.random()
    if kind < 0.35:
        return random.choice(
            [DAY, 3600.0, 7 * DAY, 0.5, 90061.000001, 1e7, 86399.0, 1, 0.0, -60.0, random.random() * 1e6]
        )
    if kind < 0.5:
        return {"months": random.choice([1, 1, 1, 2, 3, 5, 12, 13])}
    if kind < 0.6:
        return {"years": random.randint(1, 4), **random.choice([{}, {"months": 1}])}
    if kind < 0.7:
        return {"days": random.randint(1, 40), **random.choice([{}, {"hours": random.randint(-20, 20)}])}
    if kind < 0.8:
        return {"months": random.randint(1, 3), "days": random.randint(-3, 3) or 1}
    if kind < 0.9:
        return {
            "months": random.randint(1, 3),
            **random.choice([{"day": random.randint(1, 31)}, {"weekday": [0, -1], "day": 31}]),
        }
    return draw_relativedelta(random)


def seconds_of(delta: float | dict[str, Any]) -> float:
    """About how long a delta is."""
    if not isinstance(delta, dict):
        return delta
    units = {
        "years": 365 * DAY,
        "months": 28 * DAY,
        "days": DAY,
        "hours": 3600,
        "minutes": 60,
        "seconds": 1,
        "microseconds": 1e-6,
    }
    return float(sum(units[name] * value for name, value in delta.items() if name in units))


def draw_interval(random: Random) -> float | dict[str, Any]:
    """The data interval of a trigger timetable: mostly zero, a timedelta, or a relativedelta."""
    kind = random.random()
    if kind < 0.5:
        return 0.0
    if kind < 0.7:
        return random.choice([86400.0, 3600.0, 0.5, -60.0, 90061.000001, 1e7])
    return draw_relativedelta(random)


def draw_relativedelta(random: Random) -> dict[str, Any]:
    """Any relativedelta, as Airflow serializes it."""
    fields: dict[str, Any] = {}
    for name, low, high in [
        ("years", -2, 3),
        ("months", -14, 14),
        ("days", -40, 40),
        ("hours", -50, 50),
        ("minutes", -90, 90),
        ("seconds", -90, 90),
        ("microseconds", -9, 9),
        ("leapdays", -1, 1),
        ("year", 1990, 2030),
        ("month", 1, 12),
        ("day", 1, 31),
        ("hour", 0, 23),
        ("minute", 0, 59),
        ("second", 0, 59),
        ("microsecond", 0, 999999),
    ]:
        if random.random() < 0.15:
            fields[name] = random.randint(low, high)
    if random.random() < 0.2:
        fields["weekday"] = [random.randint(0, 6), *random.choice([[], [1], [2], [-1], [-3]])]
    return fields
