"""Run by an Airflow's own Python: creates backfills with Airflow's own code; prints the id and the seconds of each."""

from __future__ import annotations

import inspect
import json
import sys
import time
from datetime import datetime

from airflow.models.backfill import ReprocessBehavior, _create_backfill

KNOWN_HERE = inspect.signature(
    _create_backfill
).parameters  # 3.0 has no triggering_user_name and no run_on_latest_version


def create(request: dict) -> dict:
    arguments = {
        "dag_id": request["dag_id"],
        "from_date": datetime.fromisoformat(request["from_date"]),
        "to_date": datetime.fromisoformat(request["to_date"]),
        "max_active_runs": request.get("max_active_runs", 10),
        "reverse": request.get("run_backwards", False),
        "dag_run_conf": request.get("dag_run_conf", {}),
        "triggering_user_name": request.get("triggering_user_name"),
        "reprocess_behavior": ReprocessBehavior(request.get("reprocess_behavior", "none")),
        "run_on_latest_version": request.get("run_on_latest_version", True),
    }
    start = time.perf_counter()
    backfill = _create_backfill(**{name: value for name, value in arguments.items() if name in KNOWN_HERE})
    return {"id": backfill.id, "seconds": time.perf_counter() - start}


if __name__ == "__main__":
    print(json.dumps([create(request) for request in json.load(sys.stdin)]))
