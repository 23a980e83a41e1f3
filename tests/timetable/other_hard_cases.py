"""The fixed table for what is no single cron, with Airflow's own slots. A case that ever differed joins it.

A slot is written `start/end` in UTC, or as one moment where its interval is empty; a partition as `date|key`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from timetable.cases import (
    ASSET_OR_TIME,
    DELTA_DATA_INTERVAL,
    DELTA_TRIGGER,
    EVENTS,
    MULTIPLE,
    PARTITION,
    Case,
)
from timetable.hard_cases import as_utc

Row = tuple[datetime | None, datetime | None, datetime | None, datetime, str | None, datetime | None]


@dataclass(frozen=True)
class OtherHardCase:
    """One timetable and window, and what comes out."""

    reason: str
    timetable_class: str
    fields: dict[str, Any]
    from_date: str
    to_date: str
    slots: list[str]
    releases: tuple[str, ...] = ("3.3.2", "3.2.2", "3.1.8", "3.0.6")
    """The Airflows that have these slots; the first is the one that SQL is asked for."""

    @property
    def case(self) -> Case:
        """As a serialized timetable and a window."""
        timetable = {"__type": self.timetable_class, "__var": self.fields}
        return Case(timetable, as_utc(self.from_date), as_utc(self.to_date))

    @property
    def rows(self) -> list[Row]:
        """Each slot as `timetable_infos` returns it."""
        return [_row(slot) for slot in self.slots]


def _row(slot: str) -> Row:
    if "|" in slot:
        at, key = slot.split("|", maxsplit=1)
        return (None, None, None, as_utc(at), key, as_utc(at))
    pair = [as_utc(at) for at in slot.split("/")]
    return (pair[0], pair[0], pair[-1], pair[-1], None, None)


def crons(*expressions: str, zone: str = "UTC", interval: float | dict[str, Any] = 0.0) -> dict[str, Any]:
    """The fields of a MultipleCronTriggerTimetable."""
    return {"expressions": list(expressions), "timezone": zone, "interval": interval, "run_immediately": False}


def partitions(expression: str, zone: str | int, key_format: str, run_offset: int | None = 0) -> dict[str, Any]:
    """The fields of a CronPartitionTimetable."""
    return {
        "expression": expression,
        "timezone": zone,
        "run_offset": run_offset,
        "key_format": key_format,
        "run_immediately": False,
    }


def events(*dates: str) -> dict[str, Any]:
    """The fields of an EventsTimetable."""
    return {"event_dates": list(dates), "restrict_to_events": False, "description": None, "_summary": "events"}


SINCE_33 = ("3.3.2",)
ONLY_32 = ("3.2.2",)

OTHER_HARD_CASES = [
    OtherHardCase(
        "fold: what one cron has ahead is lost when another passes its time in the first half",
        MULTIPLE,
        crons("57 * 6-15,5,3-31 * sat", "4/1,44-12,42 */5 * 5,9-JUN *", "52 10-15 02,18/1 * *", zone="Atlantic/Azores"),
        "1986-09-27T23:26:55.558793",
        "1986-09-28T01:30",
        ["1986-09-27T23:57", "1986-09-28T00:57"],
        ("3.3.2", "3.2.2", "3.1.8"),
    ),
    OtherHardCase(
        "a year long over",
        MULTIPLE,
        crons("0 0 * 12 * 0 2020"),
        "2020-12-30",
        "2090-01-01",
        ["2020-12-30T00:00", "2020-12-31T00:00"],
    ),
    OtherHardCase(
        "months and a cron that hardly ever fires",
        MULTIPLE,
        crons("0 */6 * * *", "0 0 29 2 mon#5", interval={"months": 1}),
        "2026-01-01",
        "2026-01-01T13:00",
        ["2025-12-01T00:00/2026-01-01T00:00", "2025-12-01T06:00/2026-01-01T06:00", "2025-12-01T12:00/2026-01-01T12:00"],
    ),
    OtherHardCase(
        "several crons at the same time make one slot",
        MULTIPLE,
        crons("0 0 * * *", "0 */12 * * *", "0 0 1 * *"),
        "2026-01-31",
        "2026-02-01T12:00",
        ["2026-01-31T00:00", "2026-01-31T12:00", "2026-02-01T00:00", "2026-02-01T12:00"],
    ),
    OtherHardCase(
        "gap: a run of one cron at its end hides the run of another that was in it",
        MULTIPLE,
        crons("0 3 * * *", "30 2 * * *", zone="Europe/Berlin"),
        "2026-03-28T12:00",
        "2026-03-30T12:00",
        ["2026-03-29T01:00", "2026-03-30T00:30", "2026-03-30T01:00"],
    ),
    OtherHardCase(
        "fold: a cron of every hour runs in both halves, another only where the first one's runs let it",
        MULTIPLE,
        crons("30 * * * *", "45 2 * * *", zone="Europe/Berlin"),
        "2026-10-24T23:45",
        "2026-10-25T02:30",
        ["2026-10-25T00:30", "2026-10-25T01:30", "2026-10-25T01:45", "2026-10-25T02:30"],
    ),
    OtherHardCase(
        "months: of two runs with the same logical date the cron named first has it, and the other is lost",
        MULTIPLE,
        crons("0 0 31 * *", "0 0 28 * *", interval={"months": 1}),
        "2026-03-01",
        "2026-04-30",
        ["2026-02-28T00:00/2026-03-31T00:00", "2026-03-28T00:00/2026-04-28T00:00"],
    ),
    OtherHardCase(
        "a month after 31 January, and on from there",
        DELTA_DATA_INTERVAL,
        {"delta": {"months": 1}},
        "2026-01-31",
        "2026-05-01",
        [
            "2026-01-31T00:00/2026-02-28T00:00",
            "2026-02-28T00:00/2026-03-28T00:00",
            "2026-03-28T00:00/2026-04-28T00:00",
            "2026-04-28T00:00/2026-05-28T00:00",
        ],
    ),
    OtherHardCase(
        "a month and a day, which no multiple of it gives",
        DELTA_TRIGGER,
        {"delta": {"months": 1, "days": 1}, "interval": 0.0},
        "2026-01-30",
        "2026-05-01",
        ["2026-01-30T00:00", "2026-03-01T00:00", "2026-04-02T00:00"],
    ),
    OtherHardCase(
        "the last day of each month",
        DELTA_TRIGGER,
        {"delta": {"months": 1, "day": 31}, "interval": {"days": 1}},
        "2026-01-31T06:00",
        "2026-04-30T06:00",
        [
            "2026-01-30T06:00/2026-01-31T06:00",
            "2026-02-27T06:00/2026-02-28T06:00",
            "2026-03-30T06:00/2026-03-31T06:00",
            "2026-04-29T06:00/2026-04-30T06:00",
        ],
    ),
    OtherHardCase(
        "a year from 29 February",
        DELTA_DATA_INTERVAL,
        {"delta": {"years": 1}},
        "2024-02-29",
        "2026-12-31",
        [
            "2024-02-29T00:00/2025-02-28T00:00",
            "2025-02-28T00:00/2026-02-28T00:00",
            "2026-02-28T00:00/2027-02-28T00:00",
        ],
    ),
    OtherHardCase(
        "a day has 24 hours",
        DELTA_DATA_INTERVAL,
        {"delta": 86400.0},
        "2026-03-28T22:00",
        "2026-03-30",
        ["2026-03-28T22:00/2026-03-29T22:00", "2026-03-29T22:00/2026-03-30T22:00"],
    ),
    OtherHardCase(
        "dates with offsets, twice, and out of order where somebody said that they are sorted",
        EVENTS,
        events(
            "2026-01-01T00:00:00+00:00",
            "2026-01-02T01:00:00+01:00",
            "2026-01-02T00:00:00+00:00",
            "2026-01-05T00:00:00.000001-00:01:15",
            "2026-01-04T00:00:00+00:00",
            "2026-01-06T00:00:00+14:00",
        ),
        "2026-01-02",
        "2026-01-05T10:00",
        ["2026-01-02T00:00", "2026-01-05T00:01:15.000001", "2026-01-05T10:00"],
    ),
    OtherHardCase(
        "dates: what is beyond the window ends it, even if something in it follows",
        EVENTS,
        events("2026-01-03T00:00:00+00:00", "2026-02-01T00:00:00+00:00", "2026-01-04T00:00:00+00:00"),
        "2026-01-01",
        "2026-01-31",
        ["2026-01-03T00:00"],
    ),
    OtherHardCase(
        "the bounds are read in the timetable's zone, and so is the key",
        PARTITION,
        partitions("0 0 * * *", "Asia/Tokyo", "%Y-%m-%dT%H:%M:%S"),
        "2026-01-01",
        "2026-01-02",
        ["2025-12-31T15:00|2026-01-01T00:00:00", "2026-01-01T15:00|2026-01-02T00:00:00"],
        SINCE_33,
    ),
    OtherHardCase(
        "3.2: the bounds are read in UTC, and so is the key",
        PARTITION,
        partitions("0 0 * * *", "Asia/Tokyo", "%Y-%m-%dT%H:%M:%S"),
        "2026-01-01",
        "2026-01-02",
        ["2026-01-01T15:00|2026-01-01T15:00:00"],
        ONLY_32,
    ),
    OtherHardCase(
        "gap and fold have a name and an offset",
        PARTITION,
        partitions("30 2 29,25 3,10 *", "Europe/Berlin", "%d.%m. %H:%M %Z%z"),
        "2026-03-01",
        "2026-11-01",
        [
            "2026-03-25T01:30|25.03. 02:30 CET+0100",
            "2026-03-29T01:30|29.03. 03:30 CEST+0200",
            "2026-10-25T01:30|25.10. 02:30 CET+0100",
            "2026-10-29T01:30|29.10. 02:30 CET+0100",
        ],
        SINCE_33,
    ),
    OtherHardCase(
        "every directive",
        PARTITION,
        partitions(
            "7 4 4 1 *",
            -12600,
            "%Y %y %C %G %g %m %b %h %B %d %e %j %a %A %u %w %U %W %V %H %k %I %l %p %P %M %S %f %z %Z "
            '%c %x %X %D %F %R %r %T %% "\\ %n%t',
        ),
        "2026-01-01",
        "2026-01-31",
        [
            "2026-01-04T07:37|2026 26 20 2026 26 01 Jan Jan January 04  4 004 Sun Sunday 7 0 01 00 01 04  4 04  4 AM am "
            "07 00 000000 -0330 -03:30 Sun Jan  4 04:07:00 2026 01/04/26 04:07:00 01/04/26 2026-01-04 04:07 "
            '04:07:00 AM 04:07:00 % "\\ \n\t'
        ],
        SINCE_33,
    ),
    OtherHardCase(
        "flags: the last one that fills counts",
        PARTITION,
        partitions("7 4 4 1 *", "UTC", "%-d %_d %0e %-0H %0-H %^a %#B %#p %^#p %5Y %_5d %-5d %05b %12A %-j %_m %-M"),
        "2026-01-01",
        "2026-01-31",
        ["2026-01-04T04:07|4  4 04 04 4 SUN JANUARY am am 02026     4     4 00Jan       Sunday 4  1 7"],
        SINCE_33,
    ),
    OtherHardCase(
        "neighbours that look like another directive together",
        PARTITION,
        partitions("7 4 4 1 *", "UTC", "%d%j%Y%y%G%g%u%d%S%f%M%I%H"),
        "2026-01-01",
        "2026-01-31",
        ["2026-01-04T04:07|0400420262620262670400000000070404"],
        SINCE_33,
    ),
    OtherHardCase(
        "inside an AssetOrTimeSchedule the ticks of a partition's cron are no partitions",
        ASSET_OR_TIME,
        {
            "timetable": {"__type": PARTITION, "__var": partitions("@daily", "Asia/Tokyo", "%F", 1)},
            "asset_condition": {"__type": "asset_all", "objects": []},
        },
        "2026-01-01",
        "2026-01-02",
        ["2026-01-01T15:00"],
        SINCE_33 + ONLY_32,
    ),
]
