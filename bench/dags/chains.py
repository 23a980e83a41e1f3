"""Daily DAGs of one and of ten tasks in a row, and one more to have a history."""

from __future__ import annotations

import datetime

from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG, chain

for dag_id, size in (("tasks_1", 1), ("tasks_10", 10), ("history", 10)):
    with DAG(
        dag_id,
        schedule="0 0 * * *",
        start_date=datetime.datetime(2015, 1, 1, tzinfo=datetime.timezone.utc),
        catchup=False,
    ):
        chain(*(EmptyOperator(task_id=f"task_{number}") for number in range(size)))
