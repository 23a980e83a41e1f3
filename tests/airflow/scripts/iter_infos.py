"""Run by an Airflow's own Python: JSON lines of cases on stdin, JSON lines of that Airflow's slots on stdout.

A case is `{"timetable": ..., "from_date": ..., "to_date": ...}`. An answer is `{"slots": [[...], ...], "error": ...}`;
`error` names the exception at which Airflow gave up, having yielded the slots, and is null if it went on to the end.
"""

from __future__ import annotations

import json
import sys
from datetime import datetime
from types import SimpleNamespace
from typing import Any

from airflow.serialization.decoders import decode_timetable
from airflow.serialization.definitions import dag as dag_module


class ExceptionRecorder:
    """Stands in for the logger of the iteration, which logs the exception it stops at and swallows it."""

    def __init__(self) -> None:
        self.error: str | None = None

    def exception(self, *_: object, **__: object) -> None:
        error = sys.exc_info()[1]
        self.error = f"{type(error).__name__}: {error}"


def isoformat(at: datetime | None) -> str | None:
    return at.isoformat() if at else None


def iterate(case: dict[str, Any]) -> dict[str, Any]:
    try:
        dag = SimpleNamespace(timetable=decode_timetable(case["timetable"]), dag_id="case")
    except Exception as error:
        return {"slots": [], "error": f"undecodable: {type(error).__name__}: {error}"}

    dag_module.log = recorder = ExceptionRecorder()
    infos = dag_module.SerializedDAG.iter_dagrun_infos_between(
        dag, datetime.fromisoformat(case["from_date"]), datetime.fromisoformat(case["to_date"])
    )
    slots = [
        [
            isoformat(info.logical_date),
            isoformat(info.data_interval and info.data_interval.start),
            isoformat(info.data_interval and info.data_interval.end),
            isoformat(info.run_after),
            info.partition_key,
            isoformat(info.partition_date),
        ]
        for info in infos
    ]
    return {"slots": slots, "error": recorder.error}


def main() -> None:
    for line in sys.stdin:
        print(json.dumps(iterate(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
