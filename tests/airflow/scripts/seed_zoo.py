"""Run by an Airflow's own Python: makes runs in all sorts of states with Airflow's own code, for a backfill to find.

In: for each DAG `{"dag_id": ..., "priors": [what there is to be for each slot, ...], "only_latest": whether to make those runs
that are of the latest version of the DAG, or all others}`. Out: for each the dates between which its slots lie, and the slots.
"""

from __future__ import annotations

import inspect
import json
import sys
from datetime import datetime, timedelta, timezone
from itertools import cycle, islice

from airflow.models.backfill import Backfill, ReprocessBehavior, _create_backfill
from airflow.models.dagrun import DagRun
from airflow.models.renderedtifields import RenderedTaskInstanceFields
from airflow.models.serialized_dag import SerializedDagModel
from airflow.models.taskmap import TaskMap
from airflow.models.taskreschedule import TaskReschedule
from airflow.models.trigger import Trigger
from airflow.models.xcom import XComModel
from airflow.utils.session import create_session
from airflow.utils.state import DagRunState, TaskInstanceState
from airflow.utils.types import DagRunTriggeredByType, DagRunType
from sqlalchemy import select

try:
    from airflow.models.hitl import HITLDetail
except ImportError:  # 3.0
    HITLDetail = None

DAY = timedelta(days=1)
FIRST = datetime(2025, 3, 3, tzinfo=timezone.utc)
CONF = {"of": "the run", "airflow/task_span_detail_level": 1}
OUTCOMES = [
    TaskInstanceState.SUCCESS,
    TaskInstanceState.FAILED,
    TaskInstanceState.SKIPPED,
    TaskInstanceState.UPSTREAM_FAILED,
    TaskInstanceState.DEFERRED,
    TaskInstanceState.UP_FOR_RESCHEDULE,
    TaskInstanceState.UP_FOR_RETRY,
    TaskInstanceState.RUNNING,
    TaskInstanceState.QUEUED,
    TaskInstanceState.REMOVED,
    None,
]
STARTED = {
    TaskInstanceState.SUCCESS,
    TaskInstanceState.FAILED,
    TaskInstanceState.DEFERRED,
    TaskInstanceState.UP_FOR_RESCHEDULE,
    TaskInstanceState.UP_FOR_RETRY,
    TaskInstanceState.RUNNING,
}
ENDED = {
    TaskInstanceState.SUCCESS,
    TaskInstanceState.FAILED,
    TaskInstanceState.SKIPPED,
    TaskInstanceState.UPSTREAM_FAILED,
    TaskInstanceState.UP_FOR_RETRY,
    TaskInstanceState.REMOVED,
}


def known(function, **arguments):
    """Call with those arguments that this release knows."""
    parameters = inspect.signature(function).parameters
    return function(**{name: value for name, value in arguments.items() if name in parameters})


def plain(at):
    """A time as Python has it: pendulum's lose the zone of an EventsTimetable's in a sum."""
    return datetime.fromisoformat(at.isoformat())


def date_of(info):
    return plain(info.logical_date or info.partition_date)


def window_of(first, last):
    """The dates between which slots lie; of partitions whole days, as their bounds are read as local times."""
    if first.logical_date:
        return first.logical_date, last.logical_date
    return first.partition_date - DAY / 4, last.partition_date + DAY / 4


def create_scheduled(dag, info, session, conf=None):
    return known(
        dag.create_dagrun,
        run_id=known(
            dag.timetable.generate_run_id,
            run_type=DagRunType.SCHEDULED,
            run_after=info.run_after,
            data_interval=info.data_interval,
            partition_key=getattr(info, "partition_key", None),
        ),
        logical_date=info.logical_date,
        data_interval=info.data_interval,
        run_after=info.run_after,
        run_type=DagRunType.SCHEDULED,
        triggered_by=DagRunTriggeredByType.TIMETABLE,
        triggering_user_name="somebody before",
        state=DagRunState.QUEUED,
        conf=conf,
        partition_key=getattr(info, "partition_key", None),
        partition_date=getattr(info, "partition_date", None),
        session=session,
    )


def create_by_backfill(dag, info, session):
    session.commit()
    from_date, to_date = window_of(info, info)
    backfill = known(
        _create_backfill,
        dag_id=dag.dag_id,
        from_date=from_date,
        to_date=to_date,
        max_active_runs=3,
        reverse=False,
        dag_run_conf={"of": "the backfill before"},
        triggering_user_name="somebody before",
        reprocess_behavior=ReprocessBehavior.FAILED,  # which tasks that depend on their past insist on
    )
    run = session.scalars(select(DagRun).where(DagRun.backfill_id == backfill.id)).one()
    session.get(Backfill, backfill.id).completed_at = date_of(run) + 2 * DAY
    return run


def end_task(ti, state, at, session):
    """What is left of a task instance that came to this state."""
    ti.state = state
    ti.queued_dttm, ti.scheduled_dttm = at, at
    if state in STARTED:
        ti.start_date, ti.try_number, ti.hostname, ti.pid = at, ti.try_number + 1, "a host", 17
        ti.external_executor_id = "an executor's id"
    if state in ENDED:
        ti.start_date, ti.end_date = ti.start_date or at, at + timedelta(seconds=90.5)
        ti.set_duration()
    if state == TaskInstanceState.DEFERRED:
        trigger = Trigger("a.Trigger", {})
        session.add(trigger)
        session.flush()
        ti.trigger_id, ti.trigger_timeout = trigger.id, at + DAY
        ti.next_method, ti.next_kwargs = "execute_complete", {"moment": 1}
    if state == TaskInstanceState.UP_FOR_RESCHEDULE:
        dates = {"start_date": at, "end_date": at + timedelta(minutes=1), "reschedule_date": at + timedelta(hours=1)}
        reschedule = TaskReschedule(ti_id=ti.id, **dates)
        reschedule.duration = 60
        session.add(reschedule)
    if HITLDetail and ti.task_id == "approve" and session.get(HITLDetail, ti.id) is None:
        session.add(HITLDetail(ti_id=ti.id, options=["Approve", "Reject"], subject="May it?", params={"a": 1}))


def leave_traces(ti, session):
    """Rows of other tables that refer to a task instance."""
    key = {"dag_id": ti.dag_id, "task_id": ti.task_id, "run_id": ti.run_id, "map_index": ti.map_index}
    ti.note = f"of {ti.task_id}"
    XComModel.set("return_value", [1, 2], session=session, **key)
    session.execute(
        RenderedTaskInstanceFields.__table__.insert().values(rendered_fields={"bash_command": "true"}, **key)
    )


def end_run(run, state, outcomes, session):
    at = date_of(run) + DAY
    run.start_date, run.last_scheduling_decision = at, at
    run.state, run.end_date = (
        state,
        at + timedelta(minutes=5) if state in (DagRunState.SUCCESS, DagRunState.FAILED) else None,
    )
    if run.note is None:
        run.note = "of the run"
    instances = sorted(run.get_task_instances(session=session), key=lambda ti: (ti.task_id, ti.map_index))
    for ti, outcome in zip(instances, cycle(outcomes)):
        end_task(ti, outcome, at, session)
    for ti in instances[:3]:
        if ti.note is None:
            leave_traces(ti, session)
    session.flush()


def expand(dag, run, session):
    """Let Airflow expand what is mapped over the output of another task, which was a list of two."""
    for ti in run.get_task_instances(session=session):
        mapped = dag.get_task(ti.task_id).is_mapped
        end_task(ti, None if mapped and ti.map_index < 0 else TaskInstanceState.SUCCESS, date_of(run) + DAY, session)
        if ti.map_index >= 0:
            key = {"dag_id": ti.dag_id, "task_id": ti.task_id, "run_id": ti.run_id, "map_index": ti.map_index}
            XComModel.set("return_value", 1, session=session, **key)
        elif not mapped:
            session.add(TaskMap(ti.dag_id, ti.task_id, ti.run_id, ti.map_index, 2, None))
            XComModel.set(
                "return_value", [1, 2], dag_id=ti.dag_id, task_id=ti.task_id, run_id=ti.run_id, session=session
            )
    session.flush()
    run.dag = dag
    run.task_instance_scheduling_decisions(session=session)
    session.flush()


def forget_version(run, session):
    """Leave a run as one of Airflow 2 is, or one whose DAG version was cleaned away."""
    run.created_dag_version_id = None
    for ti in run.get_task_instances(session=session):
        ti.dag_version_id = None


def seed(dag, info, prior, session):
    if prior == "backfilled before":
        run = create_by_backfill(dag, info, session)
        end_run(run, DagRunState.FAILED, OUTCOMES[::-1], session)
        return
    run = create_scheduled(dag, info, session, conf=CONF if prior == "scheduled failure" else None)
    if prior in ("scheduled success", "of the latest version"):
        end_run(run, DagRunState.SUCCESS, [TaskInstanceState.SUCCESS, TaskInstanceState.SKIPPED], session)
    elif prior == "scheduled failure":
        end_run(run, DagRunState.FAILED, OUTCOMES, session)
    elif prior == "running":
        end_run(run, DagRunState.RUNNING, [TaskInstanceState.SUCCESS, TaskInstanceState.RUNNING, None], session)
    elif prior == "without a version":
        end_run(run, DagRunState.FAILED, OUTCOMES, session)
        forget_version(run, session)
    elif prior == "partly mapped":
        expand(dag, run, session)
        rest = None if date_of(run).day % 2 else TaskInstanceState.SKIPPED  # one with a task that has not finished
        end_run(run, DagRunState.FAILED, [TaskInstanceState.FAILED, TaskInstanceState.SUCCESS, rest], session)
    elif prior == "cleared before":
        end_run(run, DagRunState.FAILED, OUTCOMES, session)
        known(dag.clear, run_id=run.run_id, dag_run_state=DagRunState.QUEUED, session=session, confirm_prompt=False)
        session.expire_all()
        end_run(run, DagRunState.FAILED, [TaskInstanceState.UPSTREAM_FAILED, *OUTCOMES], session)


def as_json(info):
    interval = info.data_interval
    fields = {
        "logical_date": info.logical_date,
        "data_interval_start": interval and interval.start,
        "data_interval_end": interval and interval.end,
        "run_after": info.run_after,
        "partition_key": getattr(info, "partition_key", None),
        "partition_date": getattr(info, "partition_date", None),
    }
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in fields.items()}


def seed_dag(dag_id, priors, only_latest, session):
    """Make the runs of a DAG; answer with its window and slots. A DAG without a schedule has a window of one day."""
    dag = session.scalar(SerializedDagModel.latest_item_select_object(dag_id)).dag
    slots = dag.iter_dagrun_infos_between(FIRST, FIRST + 365 * DAY) if dag.timetable.periodic else ()
    infos = list(islice(slots, len(priors)))
    for info, prior in zip(infos, priors, strict=False):
        if prior != "empty" and (prior == "of the latest version") == only_latest:
            seed(dag, info, prior, session)
    from_date, to_date = window_of(infos[0], infos[-1]) if infos else (FIRST, FIRST + DAY)
    window = {"from_date": from_date.isoformat(), "to_date": to_date.isoformat()}
    return {"dag_id": dag_id, **window, "infos": [as_json(info) for info in infos]}


def main():
    answers = []
    for request in json.load(sys.stdin):
        with create_session() as session:
            answers.append(seed_dag(**request, session=session))
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
