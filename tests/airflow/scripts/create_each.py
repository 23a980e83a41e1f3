"""Run by an Airflow's own Python: creates each backfill of a list; prints its id, or the exception that refused it."""

from __future__ import annotations

import json
import sys

from create_backfill import create


def create_or_refuse(request: dict) -> dict:
    try:
        return create(request)
    except Exception as error:
        return {"error": type(error).__name__, "message": str(error)}


if __name__ == "__main__":
    print(json.dumps([create_or_refuse(request) for request in json.load(sys.stdin)]))
