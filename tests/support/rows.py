"""The rows of two databases, compared table by table where they should be the same."""

from __future__ import annotations

import re
from typing import Any

from psycopg import Connection
from psycopg.rows import dict_row

# What identifies a row in both databases. Ids are drawn by a sequence or by chance, so they are compared by what they stand for.
KEYS = {
    "backfill": ("backfill_id",),
    "backfill_dag_run": ("backfill_id", "sort_ordinal"),
    "dag_run": ("dag_id", "run_id"),
    "task_instance": ("dag_id", "run_id", "task_id", "map_index"),
    "task_instance_history": ("dag_id", "run_id", "task_id", "map_index", "try_number"),
}
NOT_COMPARED = {"id", "unixname"}  # unixname: the user that a process ran as
# Times at which something was written: they differ, and only their being there is compared.
MOMENTS = {"created_at", "updated_at", "queued_at"}
MOMENTS_OF_CLEARING = {"end_date", "duration"}


def differences(theirs: Connection[Any], ours: Connection[Any], *, cleared: bool = False) -> list[str]:
    """One line per difference: table, key, column, theirs, ours; `cleared`: there are runs that were cleared."""
    moments = MOMENTS | MOMENTS_OF_CLEARING if cleared else MOMENTS
    found = []
    for table in KEYS:
        left, right = _rows(theirs, table, moments), _rows(ours, table, moments)
        for key in sorted(left.keys() | right.keys(), key=str):
            if key not in left or key not in right:
                found.append(f"{table} {key}: only {'ours' if key in right else 'theirs'}")
                continue
            for column in sorted(left[key].keys() | right[key].keys()):
                a, b = left[key].get(column, "no column"), right[key].get(column, "no column")
                if a != b:
                    found.append(f"{table} {key} {column}: theirs {a!r}, ours {b!r}")
    return found


def _rows(conn: Connection[Any], table: str, moments: set[str]) -> dict[tuple[Any, ...], dict[str, Any]]:
    backfills = dict(
        conn.execute("select id, dag_id || ' #' || row_number() over (partition by dag_id order by id) from backfill")
    )
    runs = dict(conn.execute("select id, run_id from dag_run"))
    traces = {tuple(key): trace for *key, trace in conn.execute("select dag_id, run_id, context_carrier from dag_run")}

    rows = {}
    for row in conn.cursor(row_factory=dict_row).execute(f"select * from {table}"):
        if table == "backfill":
            row["backfill_id"] = row["id"]
        for column, names in (("backfill_id", backfills), ("dag_run_id", runs)):
            if row.get(column) is not None:
                row[column] = names[row[column]]
        if "context_carrier" in row:
            is_the_runs = row["context_carrier"] == traces[row["dag_id"], row["run_id"]]
            row["context_carrier"] = (_without_ids(row["context_carrier"]), is_the_runs)
        for column in moments & row.keys():
            row[column] = row[column] is not None
        rows[tuple(row[column] for column in KEYS[table])] = {k: v for k, v in row.items() if k not in NOT_COMPARED}
    return rows


def _without_ids(trace: Any) -> str:
    """A trace context with the ids of the trace and of the span, which are new each time, blotted out."""
    return re.sub(r"\b([0-9a-f]{32}|[0-9a-f]{16})\b", lambda found: "x" * len(found[0]), str(trace))
