"""The rows of two databases, compared table by table where they should be the same."""

from __future__ import annotations

from typing import Any

from psycopg import Connection
from psycopg.rows import dict_row

# What differs between any two creations: keys that a sequence or chance draws, the time, and the trace.
IGNORED = {
    "backfill": {"id", "created_at", "updated_at", "initialized_at"},
    "backfill_dag_run": {"id", "backfill_id", "dag_run_id"},
    "dag_run": {"id", "queued_at", "created_at", "updated_at", "backfill_id", "context_carrier"},
    "task_instance": {"id", "updated_at", "context_carrier", "unixname"},
    "task_instance_history": {"task_instance_id", "updated_at", "context_carrier", "unixname"},
}
KEYS = {
    "backfill": ("dag_id", "from_date", "reprocess_behavior"),
    "backfill_dag_run": ("sort_ordinal",),
    "dag_run": ("dag_id", "run_id"),
    "task_instance": ("dag_id", "run_id", "task_id", "map_index"),
    "task_instance_history": ("dag_id", "run_id", "task_id", "map_index", "try_number"),
}
# Times that exist on both sides and only their being there is the same.
MOMENTS = {"end_date", "duration"}


def differences(theirs: Connection[Any], ours: Connection[Any], *, moments_differ: bool = False) -> list[str]:
    """One line per difference: table, key, column, theirs, ours."""
    found = []
    for table in KEYS:
        left, right = _rows(theirs, table), _rows(ours, table)
        for key in sorted(left.keys() | right.keys(), key=str):
            if key not in left or key not in right:
                found.append(f"{table} {key}: only {'ours' if key in right else 'theirs'}")
                continue
            for column in left[key].keys() | right[key].keys():
                a, b = left[key].get(column, "no column"), right[key].get(column, "no column")
                if moments_differ and column in MOMENTS:
                    a, b = a is None, b is None
                if a != b:
                    found.append(f"{table} {key} {column}: theirs {a!r}, ours {b!r}")
    return found


def _rows(conn: Connection[Any], table: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    rows = conn.cursor(row_factory=dict_row).execute(f"select * from {table}").fetchall()
    kept = [{k: v for k, v in row.items() if k not in IGNORED[table]} for row in rows]
    if table == "backfill_dag_run":
        dag_ids = dict(
            conn.execute(
                "select s.id, b.dag_id || b.id from backfill_dag_run s join backfill b on b.id = s.backfill_id"
            )
        )
        has_run = {row["id"]: row["dag_run_id"] is not None for row in rows}
        kept = [
            {**k, "backfill": dag_ids[row["id"]], "has_run": has_run[row["id"]]}
            for k, row in zip(kept, rows, strict=True)
        ]
        return {(row["backfill"], row["sort_ordinal"]): row for row in kept}
    return {tuple(row[c] for c in KEYS[table]): row for row in kept}
