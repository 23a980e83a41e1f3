"""Run by an Airflow's own Python: does with Airflow's own code what each line of JSON asks, and answers with a line."""

from __future__ import annotations

import inspect
import json
import os
import sys
import time
from datetime import datetime
from functools import cache

ANSWERS = os.fdopen(os.dup(sys.stdout.fileno()), "w")
os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever Airflow prints must not come between the answers

from airflow.models.backfill import ReprocessBehavior, _create_backfill  # noqa: E402
from airflow.utils.session import create_session  # noqa: E402
from airflow.utils.sqlalchemy import prohibit_commit  # noqa: E402

KNOWN_HERE = inspect.signature(_create_backfill).parameters  # 3.0 has no triggering_user_name


def create(dag_id: str, from_date: str, to_date: str) -> dict:
    arguments = {
        "dag_id": dag_id,
        "from_date": datetime.fromisoformat(from_date),
        "to_date": datetime.fromisoformat(to_date),
        "max_active_runs": 10,
        "reverse": False,
        "dag_run_conf": {},
        "triggering_user_name": None,
        "reprocess_behavior": ReprocessBehavior.NONE,
    }
    return {"id": _create_backfill(**{name: value for name, value in arguments.items() if name in KNOWN_HERE}).id}


def sweep(times: int) -> dict:
    """The scheduler's `_mark_backfills_complete`, which commits, as often as asked."""
    return {"seconds": [_timed(_scheduler()._mark_backfills_complete) for _ in range(times)]}


def start_queued(times: int) -> dict:
    """The scheduler's `_start_queued_dagruns` and the commit after it, as often as asked."""

    def start() -> None:
        with create_session() as session:
            _scheduler()._start_queued_dagruns(session)

    return {"seconds": [_timed(start) for _ in range(times)]}


def create_scheduled() -> dict:
    """The scheduler's `_create_dagruns_for_dags`, which locks the DAGs that are due, makes their runs and commits."""
    with create_session() as session, prohibit_commit(session) as guard:
        _scheduler()._create_dagruns_for_dags(guard, session)
    return {"created": True}


@cache
def _scheduler():
    from airflow.jobs.job import Job
    from airflow.jobs.scheduler_job_runner import SchedulerJobRunner

    return SchedulerJobRunner(job=Job())


def _timed(work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def answer(request: dict) -> dict:
    work = {"create": create, "sweep": sweep, "start_queued": start_queued, "create_scheduled": create_scheduled}[
        request.pop("do")
    ]
    try:
        return work(**request)
    except Exception as error:
        sqlstate = getattr(getattr(error, "orig", None), "pgcode", None)
        return {"error": type(error).__name__, "sqlstate": sqlstate, "text": str(error)}


print(json.dumps({"ready": True}), file=ANSWERS, flush=True)
for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), file=ANSWERS, flush=True)
