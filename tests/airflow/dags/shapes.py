"""DAGs of the shapes that the tests create backfills for. They run on every release of Airflow 3."""

from __future__ import annotations

import datetime

from airflow.providers.standard.operators.bash import BashOperator
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.sdk import DAG, TaskGroup, setup, task, task_group, teardown

START = datetime.datetime(2025, 1, 1, tzinfo=datetime.timezone.utc)


def dag(dag_id: str, schedule: str = "0 6 * * *", **options) -> DAG:
    return DAG(dag_id, schedule=schedule, start_date=START, catchup=False, is_paused_upon_creation=False, **options)


@task
def one(x):
    return x


@task
def add(x, y):
    return x + y


@task
def numbers():
    return [1, 2, 3]


with dag("linear", default_args={"retries": 1}):
    EmptyOperator(task_id="begin") >> BashOperator(task_id="work", bash_command="true") >> EmptyOperator(task_id="end")

with dag("mapped", schedule="@daily"):
    add.partial(y=10).expand(x=one.expand(x=[1, 2, 3]))

with dag("grouped", schedule="*/30 * * * *"):
    with TaskGroup("group") as group:
        EmptyOperator(task_id="first") >> one.override(task_id="second")(1)
    group >> EmptyOperator(task_id="last")

with dag("weights"):
    for rule in ("downstream", "upstream", "absolute"):
        top = EmptyOperator(task_id=f"{rule}_top", weight_rule=rule, priority_weight=3)
        left = EmptyOperator(task_id=f"{rule}_left", weight_rule=rule, priority_weight=5)
        right = EmptyOperator(task_id=f"{rule}_right", weight_rule=rule, priority_weight=7)
        bottom = EmptyOperator(task_id=f"{rule}_bottom", weight_rule=rule)
        top >> [left, right] >> bottom

with dag("attributes", default_args={"pool": "narrow", "owner": "somebody"}):
    EmptyOperator(task_id="slots", pool="wide", pool_slots=3, priority_weight=2)
    EmptyOperator(task_id="queue", queue="other")
    EmptyOperator(task_id="executor", executor="LocalExecutor")
    EmptyOperator(task_id="retries", retries=4, run_as_user="nobody")
    EmptyOperator(task_id="display", task_display_name="Shown to people")
    EmptyOperator(task_id="dates", start_date=START, end_date=START + datetime.timedelta(days=1))
    BashOperator(task_id="config", bash_command="true", executor_config={})

with dag("expansions"):
    add.override(task_id="cross").expand(x=[1, 2], y=[1, 2, 3])
    add.override(task_id="kwargs").expand_kwargs([{"x": 1, "y": 2}, {"x": 3, "y": 4}])
    one.override(task_id="nothing").expand(x=[])
    one.override(task_id="dict").expand(x={"a": 1, "b": 2})
    one.override(task_id="later").expand(x=numbers())
    one.override(task_id="partial", pool_slots=2, weight_rule="absolute", retries=2).expand(x=[1])
    BashOperator.partial(task_id="classic", retries=3).expand(bash_command=["true", "true"])

with dag("mapped_group"):

    @task_group
    def repeated(n):
        one.override(task_id="inside")(n)
        add.override(task_id="beside")(n, 1)

    repeated.expand(n=[1, 2, 3])

    @task_group
    def unknown(n):
        one.override(task_id="inside")(n)

    unknown.expand(n=numbers())

with dag("around"):

    @setup
    def build():
        pass

    @teardown
    def tear_down():
        pass

    built = build()
    built >> one(1) >> tear_down().as_teardown(setups=built)

with dag("intervals", schedule="0 3 * * 1-5", params={"region": "eu"}, max_active_runs=2, tags=["x"]):
    one(1)
