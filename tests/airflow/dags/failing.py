"""DAGs whose run of the third day fails until somebody mends them. They run on every release of Airflow 3."""

from __future__ import annotations

import datetime
import os
from pathlib import Path

from airflow.sdk import DAG, task

START = datetime.datetime(2025, 1, 1, tzinfo=datetime.timezone.utc)


@task
def work(logical_date=None):
    if logical_date.day == 3 and not (Path(os.environ["AIRFLOW_HOME"]) / "mended").exists():
        raise ValueError("nobody has mended it yet")


for dag_id in ("fails_on_the_third", "fails_on_the_third_too"):
    with DAG(dag_id, schedule="@daily", start_date=START, catchup=False, is_paused_upon_creation=False) as dag:
        work()
    globals()[dag_id] = dag
