"""Run by an Airflow's own Python, of any release: JSON lines of cases on stdin, JSON lines of its slots on stdout.

A case is `{"timetable": ..., "from_date": ..., "to_date": ...}`. An answer is `{"slots": [[...], ...], "error": ...}`;
`error` says why Airflow did not get to the end, having yielded the slots: the exception at which it gave up, or that it
comes back to where it was and would go on for ever, or that it has too many. It is null if Airflow got there.
"""

from __future__ import annotations

import json
import sys
from datetime import datetime
from types import SimpleNamespace
from typing import Any

try:
    from airflow.serialization.decoders import decode_timetable  # from 3.2 on
    from airflow.serialization.definitions import dag as dag_module
    from airflow.serialization.definitions.dag import SerializedDAG
except ImportError:
    from airflow.serialization import serialized_objects as dag_module
    from airflow.serialization.serialized_objects import SerializedDAG, decode_timetable


MOST_SLOTS = 20_000
TOO_MANY = "more slots than are compared"


class ExceptionRecorder:
    """Stands in for the logger of the iteration, which logs the exception it stops at and swallows it."""

    def __init__(self) -> None:
        self.error: str | None = None

    def exception(self, *_: object, **__: object) -> None:
        error = sys.exc_info()[1]
        self.error = f"{type(error).__name__}: {error}"


def isoformat(at: datetime | None) -> str | None:
    return at.isoformat() if at else None


def as_list(info: Any) -> list[str | None]:
    return [
        isoformat(info.logical_date),
        isoformat(info.data_interval and info.data_interval.start),
        isoformat(info.data_interval and info.data_interval.end),
        isoformat(info.run_after),
        getattr(info, "partition_key", None),
        isoformat(getattr(info, "partition_date", None)),
    ]


def iterate(case: dict[str, Any]) -> dict[str, Any]:
    recorder = ExceptionRecorder()
    try:
        dag = SimpleNamespace(timetable=decode_timetable(case["timetable"]), dag_id="case", log=recorder)
    except Exception as error:
        return {"slots": [], "error": f"undecodable: {type(error).__name__}: {error}"}

    dag_module.log = recorder
    window = (datetime.fromisoformat(case["from_date"]), datetime.fromisoformat(case["to_date"]))
    slots: list[list[str | None]] = []
    seen = set()
    try:
        for info in SerializedDAG.iter_dagrun_infos_between(dag, *window):
            # What follows depends on the last interval, and up to 3.2 on its end alone.
            if info.run_after in seen or (seen and info.data_interval and info.run_after < window[0]):
                return {"slots": slots, "error": "did not advance, and would not end"}
            seen.add(info.run_after)
            if len(slots) == MOST_SLOTS:
                return {"slots": slots, "error": TOO_MANY}
            slots.append(as_list(info))
    except Exception:
        recorder.exception()
    return {"slots": slots, "error": recorder.error}


def main() -> None:
    for line in sys.stdin:
        print(json.dumps(iterate(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
