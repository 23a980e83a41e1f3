"""Run by an Airflow's own Python: JSON lines of params and confs on stdin, JSON lines of that Airflow's verdicts on stdout.

A case is `{"params": {name: {"schema": ..., "default": ...}}, "confs": [...]}`; a param without `default` has none. An
answer is `{"params": ..., "defaults": ..., "schedulable": ..., "errors": [...]}`: the params as Airflow serializes them, the
defaults that it reads back, whether a DAG with a schedule may have them, and for each conf why a creation refuses it, or null.
"""

from __future__ import annotations

import copy
import json
import sys
from datetime import datetime, timedelta, timezone
from typing import Any

from airflow.models import backfill
from airflow.models.backfill import ReprocessBehavior, _validate_backfill_params
from airflow.sdk import DAG, Param
from airflow.serialization import serialized_objects

LONG_AGO = datetime(2026, 1, 1, tzinfo=timezone.utc)

# In 3.0 and 3.1 the class of serialized DAGs writes and reads itself.
serialization = getattr(serialized_objects, "DagSerialization", serialized_objects.SerializedDAG)
checks_conf_first = hasattr(backfill, "InvalidBackfillConf")


def param(described: dict[str, Any]) -> Param:
    given = {"default": described["default"]} if "default" in described else {}
    return Param(**given, schema=described["schema"])


def check(dag: Any, conf: dict[str, Any]) -> None:
    if checks_conf_first:
        _validate_backfill_params(dag, False, LONG_AGO, LONG_AGO + timedelta(days=1), ReprocessBehavior.NONE, conf)
    else:  # what create_dagrun does for each run of a backfill, once the backfill is committed
        params = copy.deepcopy(dag.params)
        params.update(conf)
        params.validate()


def error_of(dag: Any, conf: dict[str, Any]) -> str | None:
    expected = backfill.InvalidBackfillConf if checks_conf_first else Exception
    try:
        check(dag, conf)
    except expected as error:
        return str(error)
    return None


def validate(case: dict[str, Any]) -> dict[str, Any]:
    params = {name: param(described) for name, described in case["params"].items()}
    try:
        DAG("scheduled", schedule="@daily", start_date=LONG_AGO, params=params)
        schedulable = True
    except Exception:
        schedulable = False
    serialized = json.loads(json.dumps(serialization.to_dict(DAG("case", schedule=None, params=params))))
    dag = serialization.from_dict(serialized)
    return {
        "params": serialized["dag"]["params"],
        "defaults": {
            n: dag.params.get_param(n).value for n, described in case["params"].items() if "default" in described
        },
        "schedulable": schedulable,
        "errors": [error_of(dag, conf) for conf in case["confs"]],
    }


def main() -> None:
    for line in sys.stdin:
        print(json.dumps(validate(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
