"""DAGs that tests register in a database without Airflow."""

from __future__ import annotations

import json
from typing import Any

from psycopg import Connection


def register(conn: Connection[Any], dag_id: str = "daily", schedule: str = "0 0 * * *", timezone: str = "UTC") -> str:
    """A DAG without tasks on a cron schedule."""
    conn.execute("select from pgbackfill.register_dag(%s, %s, %s)", [dag_id, schedule, timezone])
    return dag_id


def set_dag_attributes(conn: Connection[Any], dag_id: str, **attributes: Any) -> None:
    """Change what the serialized DAG says, as a new parse by Airflow would."""
    conn.execute(
        """
        update serialized_dag set data = jsonb_set(data, '{dag}', data -> 'dag' || %s::jsonb)
        where dag_id = %s
        """,
        [json.dumps(attributes), dag_id],
    )


def set_tasks(conn: Connection[Any], dag_id: str, *tasks: dict[str, Any]) -> None:
    """Give a registered DAG tasks, in Airflow's serialized form, without task groups."""
    set_dag_attributes(
        conn,
        dag_id,
        tasks=[{"__type": "operator", "__var": {"task_type": "EmptyOperator", **task}} for task in tasks],
        task_group={"_group_id": None, "children": {t["task_id"]: ["operator", t["task_id"]] for t in tasks}},
    )


def create(
    conn: Connection[Any], dag_id: str = "daily", first: str = "2026-01-01", last: str = "2026-01-03", **options: Any
) -> int:
    """Create a backfill and return its id; `options` are parameters of create_backfill."""
    named = "".join(f", {name} => %s" for name in options)
    row = conn.execute(
        f"select id from pgbackfill.create_backfill(%s, %s, %s{named})",
        [dag_id, f"{first} UTC", f"{last} UTC", *options.values()],
    ).fetchone()
    assert row is not None
    return int(row[0])


def finish_runs(conn: Connection[Any], backfill_id: int, state: str = "success") -> None:
    """Bring every unfinished run of a backfill to an end, as a worker would."""
    conn.execute(
        "update dag_run set state = %s, start_date = now(), end_date = now() where backfill_id = %s and state in ('queued', 'running')",
        [state, backfill_id],
    )


def insert_uninitialized_backfill(conn: Connection[Any], dag_id: str, age: str) -> int:
    """The row that Airflow commits in its first transaction, `age` ago, before it writes any run."""
    row = conn.execute(
        """
        insert into backfill
          (dag_id, from_date, to_date, dag_run_conf, is_paused, reprocess_behavior, max_active_runs, created_at, updated_at)
        values (%s, '2026-01-01', '2026-01-03', '{}', false, 'none', 10, now() - %s::interval, now())
        returning id
        """,
        [dag_id, age],
    ).fetchone()
    assert row is not None
    return int(row[0])
