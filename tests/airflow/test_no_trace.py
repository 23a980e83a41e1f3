"""On the database of a real Airflow with rows in it: after migrate and uninstall, schema and data are what they were."""

from __future__ import annotations

import re
import subprocess

import pytest
from pgbackfill import migrate
from pgbackfill.server import Installation
from support.airflow import RELEASES, AirflowDatabase


def dump(dsn: str) -> list[str]:
    """A dump of schema and data, without the key that pg_dump draws anew each time."""
    installation = Installation.find()
    done = subprocess.run(
        [installation.bin / "pg_dump", "--dbname", dsn],
        env=installation.environment(),
        text=True,
        capture_output=True,
        check=True,
    )
    return [line for line in done.stdout.splitlines() if not re.match(r"\\(un)?restrict ", line)]


@pytest.mark.parametrize("airflow", RELEASES, indirect=True)
def test_migrate_and_uninstall_leave_no_trace(airflow_db: AirflowDatabase) -> None:
    window = {"from_date": "2026-01-05T00:00:00+00:00", "to_date": "2026-01-05T12:00:00+00:00"}
    airflow_db.script(
        "create_backfill.py", [{"dag_id": dag_id, **window} for dag_id in ("linear", "mapped", "grouped")]
    )
    with airflow_db.connect() as conn:
        conn.execute(
            "update dag_run set state = 'success', start_date = now(), end_date = now() where dag_id = 'linear'"
        )
        conn.execute("update task_instance set state = 'success', start_date = now() where dag_id = 'linear'")
        conn.execute("update backfill set completed_at = now() where dag_id = 'linear'")
        conn.execute(
            "insert into xcom (dag_run_id, task_id, dag_id, run_id, map_index, key, value, timestamp) "
            "select r.id, t.task_id, t.dag_id, t.run_id, t.map_index, 'return_value', '1', now() "
            "from task_instance t join dag_run r using (dag_id, run_id) where t.dag_id = 'linear'"
        )

    before = dump(airflow_db.dsn)
    assert any("initialized_at" in line for line in dump_after_migration(airflow_db.dsn))
    migrate.downgrade(airflow_db.dsn)
    after = dump(airflow_db.dsn)
    assert [line for line in after if line not in set(before)] == []
    assert after == before


def dump_after_migration(dsn: str) -> list[str]:
    migrate.upgrade(dsn)
    return dump(dsn)
