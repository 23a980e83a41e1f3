"""Run by an Airflow's own Python: zone names as a JSON list on stdin, the changes of their clocks on stdout.

The answer is `{zone: [[moment, offset from UTC in seconds], ...]}` for 1985 to 2044, each moment to the second.
"""

from __future__ import annotations

import json
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

EARLIEST = datetime(1985, 1, 1, tzinfo=timezone.utc)
LATEST = datetime(2045, 1, 1, tzinfo=timezone.utc)


def changes(name: str) -> list[tuple[str, int]]:
    zone = ZoneInfo(name)

    def offset(at: datetime) -> int:
        local = at.astimezone(zone)
        return int((local.replace(tzinfo=timezone.utc) - at).total_seconds())

    found = []
    day = EARLIEST
    while day < LATEST:
        before, after = day, day + timedelta(days=1)
        if offset(before) != offset(after):
            while after - before > timedelta(seconds=1):
                middle = (before + (after - before) / 2).replace(microsecond=0)
                before, after = (middle, after) if offset(middle) == offset(day) else (before, middle)
            found.append((after.isoformat(), offset(after)))
        day += timedelta(days=1)
    return found


if __name__ == "__main__":
    print(json.dumps({name: changes(name) for name in json.load(sys.stdin)}))
