"""Run by an Airflow's own Python: a case as JSON on stdin; how long that Airflow takes to go through its slots on stdout.

A case is `{"timetable": ..., "from_date": ..., "to_date": ...}`, the answer `{"slots": ..., "seconds": ...}`. Nothing is
kept of a slot, and the start of Python and the decoding of the timetable are not counted.
"""

from __future__ import annotations

import json
import sys
import time
from datetime import datetime
from types import SimpleNamespace

from airflow.serialization.decoders import decode_timetable
from airflow.serialization.definitions.dag import SerializedDAG


def main() -> None:
    case = json.load(sys.stdin)
    dag = SimpleNamespace(timetable=decode_timetable(case["timetable"]), dag_id="case")
    window = [datetime.fromisoformat(case[name]) for name in ("from_date", "to_date")]
    start = time.perf_counter()
    slots = sum(1 for _ in SerializedDAG.iter_dagrun_infos_between(dag, *window))
    print(json.dumps({"slots": slots, "seconds": time.perf_counter() - start}))


if __name__ == "__main__":
    main()
