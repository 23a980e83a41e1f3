"""The zoo: DAGs of many shapes, each in as many copies as there are cells. It loads on every release of Airflow 3.

A copy is named `<shape>__<cell>`. The section `zoo` of the configuration says what to make: `cells`, how many copies of each
shape; `changed`, the numbers of those that are to be of the second version; `shapes`, the names of the shapes, all unless given.
"""

from __future__ import annotations

import datetime
import os
from importlib.metadata import version

from airflow.providers.standard.operators.bash import BashOperator
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.providers.standard.operators.python import BranchPythonOperator, ShortCircuitOperator
from airflow.providers.standard.sensors.date_time import DateTimeSensor, DateTimeSensorAsync
from airflow.sdk import DAG, Asset, AssetAlias, BaseOperator, Param, TaskGroup, chain, setup, task, task_group, teardown
from airflow.timetables.events import EventsTimetable
from airflow.timetables.interval import CronDataIntervalTimetable, DeltaDataIntervalTimetable
from airflow.timetables.trigger import DeltaTriggerTimetable, MultipleCronTriggerTimetable
from airflow.triggers.base import StartTriggerArgs
from zoo_plugin import EveryOtherDay, SevenByLength

RELEASE = tuple(int(part) for part in version("apache-airflow").split(".")[:2])
START = datetime.datetime(2025, 1, 1, tzinfo=datetime.timezone.utc)
MIDDLE = datetime.datetime(2025, 3, 4, 12, tzinfo=datetime.timezone.utc)  # of the days that are backfilled
DAY = datetime.timedelta(days=1)
VERSIONED = bool(os.environ.get("AIRFLOW__ZOO__BUNDLE_VERSION"))
SHAPES = {}


def shape(*, since=(3, 0), schedule="0 6 * * *", versioned=False, **options):
    """Register a shape: a function that makes the tasks within a DAG, and is told whether it is the second version's."""

    def register(make):
        if since <= RELEASE and versioned == VERSIONED:
            SHAPES[make.__name__] = (make, {"schedule": schedule, "start_date": START, **options})
        return make

    return register


def empty(task_id, **options):
    return EmptyOperator(task_id=task_id, **options)


def change(changed):
    """What differs between the versions of most shapes: one task goes, one comes, and one is altered."""
    altered = empty("altered", retries=3 if changed else 1, queue="second" if changed else "first", pool_slots=2)
    altered >> empty("arrived" if changed else "departed", priority_weight=4)


@task
def one(x):
    return x


@task
def add(x, y):
    return x + y


@task
def numbers():
    return [1, 2, 3]


@shape()
def linear(changed):
    empty("begin") >> BashOperator(task_id="work", bash_command="true") >> empty("end")
    change(changed)


@shape()
def wide(changed):
    empty("top") >> [empty(f"leaf_{n}") for n in range(50)] >> empty("bottom")
    change(changed)


@shape()
def deep(changed):
    chain(*[empty(f"task_{n}", priority_weight=n) for n in range(200)])


@shape()
def diamonds(changed):
    top = empty("top", priority_weight=2)
    for n in range(5):
        bottom = empty(f"bottom_{n}", priority_weight=3)
        top >> [empty(f"left_{n}"), empty(f"right_{n}", weight_rule="upstream")] >> bottom
        top = bottom
    change(changed)


@shape()
def nested_groups(changed):
    with TaskGroup("outer") as outer:
        with TaskGroup("inner", prefix_group_id=False):
            empty("first") >> empty("second")
        with TaskGroup("other"), TaskGroup("innermost"):
            one(1)
    outer >> empty("last")
    change(changed)


@shape()
def mapped_literals(changed):
    one.expand(x=[1, 2] if changed else [1, 2, 3])
    add.override(task_id="cross").expand(x=[1, 2], y=[1, 2, 3])
    add.override(task_id="kwargs").expand_kwargs([{"x": 1, "y": 2}, {"x": 3, "y": 4}])
    one.override(task_id="nothing").expand(x=[])
    one.override(task_id="dict").expand(x={"a": 1, "b": 2})
    one.override(task_id="partial", pool_slots=2, weight_rule="absolute", retries=2).expand(x=[1])
    BashOperator.partial(task_id="classic", retries=3).expand(bash_command=["true"] * (3 if changed else 2))
    change(changed)


@shape()
def mapped_output(changed):
    add.partial(y=10).expand(x=one.expand(x=[1, 2, 3]))
    one.override(task_id="later").expand(x=numbers())
    change(changed)


@shape()
def mapped_outputs(changed):
    some, more = numbers.override(task_id="some")(), numbers.override(task_id="more")()
    add.override(task_id="crossed").expand(x=[1, 2], y=some)
    add.override(task_id="squared").expand(x=some, y=some)
    one.override(task_id="zipped").expand(x=some.zip(more))
    one.override(task_id="filled").expand(x=some.zip(more, fillvalue=0))
    one.override(task_id="joined").expand(x=some.concat(more))
    one.override(task_id="transformed").expand(x=more.map(lambda n: n + 1))
    add.override(task_id="by_name").expand_kwargs(more.map(lambda n: {"x": n, "y": n}))
    change(changed)


@shape()
def mapped_or_not(changed):
    if changed:
        one.expand(x=[1, 2])
        add(1, 2)
    else:
        one(1)
        add.expand(x=[1, 2], y=[3])


@shape()
def mapped_groups(changed):
    @task_group
    def repeated(n):
        one.override(task_id="inside")(n)
        add.override(task_id="beside")(n, 1)

    @task_group
    def unknown(n):
        one.override(task_id="inside")(n)

    repeated.expand(n=[1, 2] if changed else [1, 2, 3])
    unknown.expand(n=numbers())
    change(changed)


@shape()
def setup_teardown(changed):
    @setup
    def build():
        pass

    @teardown
    def tear_down():
        pass

    built = build()
    built >> one(1) >> tear_down().as_teardown(setups=built)
    change(changed)


@shape()
def trigger_rules(changed):
    rules = ["all_success", "all_failed", "all_done", "one_success", "one_failed", "one_done", "none_failed"]
    rules += ["none_skipped", "always", "none_failed_min_one_success", "all_skipped"]
    above = [empty("first"), empty("second", ignore_first_depends_on_past=True)]
    for rule in rules:
        above >> empty(rule, trigger_rule=rule)
    change(changed)


@shape()
def branches(changed):
    branch = BranchPythonOperator(task_id="branch", python_callable=lambda: "left")
    branch >> [empty("left"), empty("right")] >> empty("joined", trigger_rule="none_failed_min_one_success")
    ShortCircuitOperator(task_id="shortcut", python_callable=lambda: False) >> empty("cut_off")
    change(changed)


@shape()
def sensors(changed):
    DateTimeSensor(task_id="poke", target_time=START) >> DateTimeSensor(
        task_id="reschedule", target_time=START, mode="reschedule", poke_interval=600, soft_fail=True
    )
    change(changed)


class StartsDeferred(BaseOperator):
    start_from_trigger = True
    start_trigger_args = StartTriggerArgs(
        trigger_cls="airflow.providers.standard.triggers.temporal.DateTimeTrigger",
        trigger_kwargs={"moment": START},
        next_method="execute_complete",
    )


@shape()
def deferrable(changed):
    DateTimeSensorAsync(task_id="defers", target_time=START) >> StartsDeferred(task_id="deferred_from_the_start")
    change(changed)


@shape()
def weight_rules(changed):
    for rule in ("downstream", "upstream", "absolute"):
        top = empty(f"{rule}_top", weight_rule=rule, priority_weight=3)
        left = empty(f"{rule}_left", weight_rule=rule, priority_weight=5)
        right = empty(f"{rule}_right", weight_rule=rule, priority_weight=7)
        top >> [left, right] >> empty(f"{rule}_bottom", weight_rule=rule, priority_weight=-1)
    empty("heavy", priority_weight=1_000_000_000) >> empty("heavier", priority_weight=1_000_000_000)
    change(changed)


@shape()
def custom_weight_rule(changed):
    empty("first", weight_rule=SevenByLength()) >> empty("second")


@shape()
def pools(changed):
    empty("slots", pool="wide", pool_slots=3) >> empty("narrow", pool="narrow")
    empty("other", pool="wide" if changed else "narrow")
    change(changed)


@shape()
def queues(changed):
    empty("fast", queue="fast") >> empty("slow", queue="slow" if changed else "slower")
    change(changed)


@shape()
def executors(changed):
    empty("local", executor="LocalExecutor") >> empty("either", executor="LocalExecutor" if changed else None)
    change(changed)


@shape()
def run_as_user(changed):
    empty("somebody", run_as_user="somebody")
    change(changed)


class Renamed(BaseOperator):
    custom_operator_name = "Called otherwise"


@shape()
def operator_names(changed):
    Renamed(task_id="renamed") >> one(1)
    Renamed.partial(task_id="renamed_and_mapped", retries=1).expand(doc=["a", "b"])
    task.bash(task_id="shell")(lambda: "true")()
    change(changed)


@shape(dag_display_name="Shown to people: ümläut")
def display_names(changed):
    empty("plain", task_display_name="Shown to people")
    one.override(task_display_name="Shown in many").expand(x=[1, 2])
    change(changed)


@shape()
def retries(changed):
    empty("none", retries=0)
    empty("many", retries=4, retry_delay=DAY, retry_exponential_backoff=True, max_retry_delay=2 * DAY)
    one.override(task_id="mapped", retries=2 if changed else 5).expand(x=[1, 2])
    change(changed)


@shape(
    params={
        "region": Param("eu", type="string", enum=["eu", "us"]),
        "n": Param(1, type="integer", minimum=0),
        "plain": [1],
    }
)
def params(changed):
    BashOperator(task_id="uses", bash_command="echo {{ params.region }}", params={"of_the_task": 1})
    change(changed)


@shape()
def depends_on_past(changed):
    empty("first", depends_on_past=True) >> empty("second")
    change(changed)


@shape()
def wait_for_downstream(changed):
    empty("first", wait_for_downstream=True) >> empty("second")
    change(changed)


@shape()
def task_dates(changed):
    empty("from_then_on", start_date=MIDDLE)
    empty("until_then", end_date=MIDDLE)
    empty("long_ago", start_date=START, end_date=START + DAY)
    change(changed)


@shape(start_date=MIDDLE, end_date=MIDDLE + 2 * DAY)
def dag_dates(changed):
    empty("first")
    change(changed)


@shape()
def ünïcode_имя(changed):
    empty("tâche-1.中文", queue="очередь", task_display_name='"quoted", \\ and \U0001f600') >> empty("b" * 200)
    with TaskGroup("gruppe_ß"):
        one.override(task_id="größe").expand(x=["ä", "\n"])
    change(changed)


@shape(default_args={"owner": "somebody", "retries": 2, "pool": "wide", "queue": "default_queue", "priority_weight": 3})
def default_args(changed):
    empty("all_of_them") >> empty("retries", retries=0) >> empty("pool", pool="narrow")
    one.expand(x=[1, 2])
    change(changed)


@shape(schedule=CronDataIntervalTimetable("30 2 * * *", timezone="Europe/Berlin"))
def cron_intervals(changed):
    change(changed)


@shape(schedule="0 3 * * 1-5")
def cron_weekdays(changed):
    change(changed)


@shape(schedule="*/30 * * * *")
def cron_half_hours(changed):
    change(changed)


@shape(schedule="@monthly")
def cron_monthly(changed):
    change(changed)


@shape(schedule=MultipleCronTriggerTimetable("0 6 * * *", "30 18 * * 2", timezone="UTC"))
def several_crons(changed):
    change(changed)


@shape(schedule=DeltaDataIntervalTimetable(datetime.timedelta(hours=7)))
def delta_intervals(changed):
    change(changed)


@shape(schedule=DeltaTriggerTimetable(datetime.timedelta(hours=7)))
def delta_triggers(changed):
    change(changed)


@shape(schedule=EventsTimetable([MIDDLE + n * n * DAY for n in range(15)]))
def events(changed):
    change(changed)


@shape(schedule=EveryOtherDay())
def custom_timetable(changed):
    change(changed)


@shape(schedule=None)
def unscheduled(changed):
    change(changed)


@shape(schedule="@once")
def once(changed):
    change(changed)


@shape(schedule=[Asset("zoo")])
def scheduled_by_assets(changed):
    change(changed)


@shape()
def assets(changed):
    empty("writes", outlets=[Asset("zoo"), AssetAlias("alias")]) >> empty("reads", inlets=[Asset("zoo")])
    change(changed)


@shape()
def restructured(changed):
    if changed:
        empty("last") >> empty("middle", retries=2) >> empty("new") >> empty("first", weight_rule="upstream")
    else:
        empty("first") >> [empty("middle"), empty("gone")] >> BashOperator(task_id="last", bash_command="true")


@shape()
def no_tasks(changed):
    pass


@shape(max_active_tasks=2, max_active_runs=1, max_consecutive_failed_dag_runs=2, fail_fast=False, catchup=True)
def limits(changed):
    empty("first", max_active_tis_per_dag=1, max_active_tis_per_dagrun=1, execution_timeout=DAY)
    change(changed)


@shape(on_failure_callback=print, on_success_callback=print, dagrun_timeout=DAY, tags=["x"], doc_md="# Read me")
def callbacks(changed):
    empty("first", on_failure_callback=print, doc_md="read me", email_on_failure=False)
    change(changed)


@shape()
def executor_configs(changed):
    empty("nothing", executor_config={}) >> empty("something", executor_config={"queue": {"name": ["a", 1]}})


@shape()
def executor_config_never_written(changed):
    empty("something", executor_config={"queue": "a"})


@shape(since=(3, 2), allowed_run_types=["backfill", "scheduled"])
def backfills_allowed(changed):
    change(changed)


@shape(since=(3, 2), allowed_run_types=["scheduled", "manual"])
def backfills_not_allowed(changed):
    change(changed)


@shape(versioned=True)
def versioned_bundle(changed):
    one.expand(x=[1, 2])
    change(changed)


@shape(versioned=True, disable_bundle_versioning=True)
def bundle_versioning_disabled(changed):
    change(changed)


if RELEASE >= (3, 1):
    from airflow.providers.standard.operators.hitl import ApprovalOperator
    from airflow.sdk.definitions.deadline import AsyncCallback, DeadlineAlert, DeadlineReference

    @shape()
    def asks_people(changed):
        empty("before") >> ApprovalOperator(task_id="approve", subject="May it?") >> empty("after")
        change(changed)

    @shape(
        deadline=DeadlineAlert(
            reference=DeadlineReference.DAGRUN_QUEUED_AT, interval=DAY, callback=AsyncCallback("asyncio.sleep")
        )
    )
    def deadlines(changed):
        change(changed)


if RELEASE >= (3, 2):
    from airflow.sdk import CronPartitionTimetable

    @shape(schedule=CronPartitionTimetable("0 6 * * *", timezone="Europe/Berlin"))
    def partitioned(changed):
        one.expand(x=[1, 2])
        change(changed)


def chosen(names):
    return {name: SHAPES[name] for name in names.split(",") if name in SHAPES} if names else SHAPES


CELLS = int(os.environ.get("AIRFLOW__ZOO__CELLS", "1"))
CHANGED = {int(number) for number in os.environ.get("AIRFLOW__ZOO__CHANGED", "").split(",") if number}
for shape_name, (make_tasks, dag_options) in chosen(os.environ.get("AIRFLOW__ZOO__SHAPES")).items():
    for number in range(CELLS):
        with DAG(f"{shape_name}__{number:02d}", **{"catchup": False, **dag_options}) as dag:
            make_tasks(number in CHANGED)
        globals()[dag.dag_id] = dag
