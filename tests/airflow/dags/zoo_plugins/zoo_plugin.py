"""What a DAG of the zoo needs registered in Airflow: a bundle with versions, a weight rule and a timetable of its own."""

from __future__ import annotations

import os
from datetime import timedelta

from airflow.dag_processing.bundles.local import LocalDagBundle
from airflow.plugins_manager import AirflowPlugin
from airflow.task.priority_strategy import PriorityWeightStrategy
from airflow.timetables.base import DagRunInfo, DataInterval, Timetable


class VersionedBundle(LocalDagBundle):
    """A folder of which somebody says which version it is."""

    supports_versioning = True

    def get_current_version(self):
        return f"commit {os.environ['AIRFLOW__ZOO__BUNDLE_VERSION']}"


class SevenByLength(PriorityWeightStrategy):
    """A weight that only Python can know."""

    def get_weight(self, ti) -> int:
        return 7 * len(ti.task_id)


class EveryOtherDay(Timetable):
    """Intervals of two days, from the even days of the epoch on."""

    STEP = timedelta(days=2)

    def infer_manual_data_interval(self, *, run_after):
        return DataInterval(run_after - self.STEP, run_after)

    def next_dagrun_info(self, *, last_automated_data_interval, restriction):
        if last_automated_data_interval is not None:
            start = last_automated_data_interval.end
        else:
            beyond = (restriction.earliest.int_timestamp % self.STEP.total_seconds()) or self.STEP.total_seconds()
            start = restriction.earliest + self.STEP - timedelta(seconds=beyond)
        if restriction.latest is not None and start > restriction.latest:
            return None
        return DagRunInfo.interval(start=start, end=start + self.STEP)


class ZooPlugin(AirflowPlugin):
    name = "zoo"
    priority_weight_strategies = (SevenByLength,)
    timetables = (EveryOtherDay,)
