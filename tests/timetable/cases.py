"""Random cases for the timetables: an expression of any syntax, a zone, and a window that likes changes of the clock."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from random import Random
from typing import Any

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
    "Etc/GMT+5",
    20700,
    -12600,
]

MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
PRESETS = ["@hourly", "@daily", "@weekly", "@monthly", "@quarterly", "@yearly", "@midnight", "@annually"]

TRIGGER = "airflow.timetables.trigger.CronTriggerTimetable"
DATA_INTERVAL = "airflow.timetables.interval.CronDataIntervalTimetable"

EARLIEST = datetime(1985, 1, 1, tzinfo=timezone.utc)
LATEST = datetime(2045, 1, 1, tzinfo=timezone.utc)
MAX_SLOTS = 120


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


def draw_case(random: Random, clock_changes: dict[str | int, list[datetime]]) -> Case:
    """A case in one of the zones of `clock_changes`, whose window holds a bounded number of slots."""
    zone = random.choice(list(clock_changes))
    expression, slots_a_day = draw_expression(random)
    fields: dict[str, Any] = {"expression": expression, "timezone": zone}
    if random.random() < 0.5:
        timetable = {"__type": DATA_INTERVAL, "__var": fields}
    else:
        fields |= {"interval": draw_interval(random), "run_immediately": False}
        timetable = {"__type": TRIGGER, "__var": fields}

    from_date, to_date = draw_window(random, clock_changes[zone], max_days=MAX_SLOTS / slots_a_day)
    return Case(timetable, from_date, to_date)


def draw_window(random: Random, changes: list[datetime], max_days: float) -> tuple[datetime, datetime]:
    """A window at most `max_days` long (and five years), two times out of three around a change of the clock."""
    days = min(max_days, 1830) * random.choice([0, random.random() / 20, random.random(), 1])
    if changes and random.random() < 0.67:
        start = random.choice(changes) - timedelta(days=random.random() * max(days, 0.2))
        start += timedelta(hours=random.choice([-3, -1, 0, 0, 0, 1]))
    else:
        start = EARLIEST + random.random() * (LATEST - EARLIEST)
    end = start + timedelta(days=days)
    return round_some(random, start), max(round_some(random, end), round_some(random, start))


def round_some(random: Random, at: datetime) -> datetime:
    """Dates as people give them: on a quarter, an hour, a day, a second; some with microseconds."""
    unit = random.choice([0, 1, 900, 900, 1800, 3600, 3600, 86400])
    if not unit:
        return at
    return at - timedelta(seconds=at.timestamp() % unit)


def draw_interval(random: Random) -> float | dict[str, Any]:
    """The data interval of a CronTriggerTimetable: mostly zero, a timedelta, or a relativedelta as Airflow serializes it."""
    kind = random.random()
    if kind < 0.5:
        return 0.0
    if kind < 0.7:
        return random.choice([86400.0, 3600.0, 0.5, -60.0, 90061.000001, 1e7])
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


def draw_expression(random: Random) -> tuple[str, float]:
    """A cron expression, and about how many slots it makes a day."""
    kind = random.random()
    if kind < 0.03:
        return random.choice(PRESETS), 1

    minute, minutes = draw_field(random, 0, 59, star=0.15)
    hour, hours = draw_field(random, 0, 23, star=0.4)
    day, days = draw_day(random)
    month, months = draw_field(random, 1, 12, names=MONTHS, star=0.75)
    weekday, weekdays = draw_weekday(random)
    fields = [minute, hour, day, month, weekday]
    slots_a_day = minutes * hours * max(days / 31, weekdays / 7) * months / 12
    if kind > 0.95:
        second, seconds = draw_field(random, 0, 59, star=0.05)
        fields.append(second)
        slots_a_day *= seconds
    expression = " ".join(fields)
    if random.random() < 0.1:
        expression = expression.upper()
    if random.random() < 0.04:
        expression = garble(random, expression)
    return expression, max(slots_a_day, 0.03)


def garble(random: Random, expression: str) -> str:
    """The expression with one character too few, too many, or another."""
    at = random.randrange(len(expression))
    typed: str = random.choice(["", *"0123579*/-,#L?w "])
    return expression[:at] + typed + expression[at + random.randint(0, 1) :]


def draw_day(random: Random) -> tuple[str, float]:
    """A day-of-month field and about how many days of a month it allows."""
    kind = random.random()
    if kind < 0.5:
        return random.choice(["*", "*", "*", "?"]), 31
    if kind < 0.6:
        return random.choice(["L", "L,15", "29", "30", "31", "29,31", "28-L", "1-31", "1-30,L", "*,5", "31,L"]), 2
    if kind < 0.65:
        return f"{random.randint(1, 31)}W", 1
    return draw_field(random, 1, 31, star=0)


def draw_weekday(random: Random) -> tuple[str, float]:
    """A day-of-week field and about how many days of a week it allows."""
    kind = random.random()
    if kind < 0.55:
        return random.choice(["*", "*", "*", "?"]), 7
    if kind < 0.63:
        items = [
            f"{random.choice([*WEEKDAYS, *'01234567'])}#{random.randint(1, 5)}" for _ in range(random.randint(1, 2))
        ]
        return ",".join(items), 0.3
    if kind < 0.67:
        return f"L{random.randint(0, 7)}", 0.25
    if kind < 0.7:
        return f"{random.choice(WEEKDAYS)}-{random.choice(WEEKDAYS)}#{random.randint(1, 5)}", 1
    if kind < 0.72:
        return random.choice(["0-6", "1-7", "7", "0,7", "*,3", "sun-sun", "6-7", "5-1"]), 4
    return draw_field(random, 0, 7, names=WEEKDAYS, star=0)


def draw_field(random: Random, low: int, high: int, star: float, names: list[str] | None = None) -> tuple[str, float]:
    """A field of values from `low` to `high` and about how many of them it allows."""
    if random.random() < star:
        return "*", high - low + 1
    items = [draw_item(random, low, high, names) for _ in range(random.choice([1, 1, 1, 1, 2, 3]))]
    return ",".join(text for text, _ in items), sum(count for _, count in items)


def draw_item(random: Random, low: int, high: int, names: list[str] | None) -> tuple[str, float]:
    """A value, range or step."""

    def value() -> str:
        number = random.randint(low, high)
        if names and random.random() < 0.4:
            return names[(number - low) % len(names)]
        return f"{number:02}" if random.random() < 0.03 else str(number)

    step = random.choice([1, 2, 3, 5, 7, 10, 15, 20, 30, 40])
    count = max((high - low + 1) / step, 1)
    kind = random.random()
    if kind < 0.45:
        return value(), 1
    if kind < 0.65:
        return f"*/{step}", count
    if kind < 0.8:
        return f"{value()}-{value()}", (high - low + 1) / 2
    if kind < 0.92:
        return f"{value()}-{value()}/{step}", count
    return f"{value()}/{step}", count
