"""Registering a DAG where no Airflow is."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg import Connection


def version(conn: Connection[Any], dag_id: str, schedule: str, **options: Any) -> int:
    named = "".join(f", {name} => %s" for name in options)
    row = conn.execute(
        f"select version_number from pgbackfill.register_dag(%s, %s{named})", [dag_id, schedule, *options.values()]
    ).fetchone()
    assert row is not None
    return int(row[0])


def test_a_change_makes_a_new_version_and_nothing_else_does(conn: Connection[Any]) -> None:
    assert version(conn, "d", "@daily") == 1
    assert version(conn, "d", "@daily") == 1
    assert version(conn, "d", "@hourly") == 2
    assert version(conn, "d", "@hourly", timezone="Europe/Berlin") == 3
    assert version(conn, "d", "@hourly", timezone="Europe/Berlin", description="text") == 3
    assert conn.execute("select description from dag").fetchone() == ("text",)


def test_data_intervals(conn: Connection[Any]) -> None:
    version(conn, "d", "0 6 * * *", create_cron_data_intervals=True)
    row = conn.execute(
        "select logical_date = data_interval_start, data_interval_end - data_interval_start = '1 day', run_after = data_interval_end "
        "from pgbackfill.dag_run_infos('d', '2026-01-01 UTC', '2026-01-02 UTC')"
    ).fetchone()
    assert row == (True, True, True)


@pytest.mark.parametrize(
    ("dag_id", "schedule", "options"),
    [
        (None, "@daily", {}),
        ("", "@daily", {}),
        ("d" * 251, "@daily", {}),
        ("a/b", "@daily", {}),
        ("a..b", "@daily", {}),
        ("d", None, {}),
        ("d", "", {}),
        ("d", "99 * * * *", {}),
        ("d", "tomorrow", {}),
        ("d", "@daily", {"timezone": "Mars/Olympus"}),
        ("d", "@daily", {"timezone": None}),
        ("d", "@daily", {"max_active_runs": 0}),
        ("d", "@daily", {"max_active_runs": None}),
        ("d", "@daily", {"create_cron_data_intervals": None}),
    ],
)
def test_refusals(conn: Connection[Any], dag_id: str, schedule: str, options: dict[str, Any]) -> None:
    with pytest.raises(psycopg.Error) as error:
        version(conn, dag_id, schedule, **options)
    assert error.value.sqlstate == "PB016"
    assert conn.execute("select count(*) from dag").fetchone() == (0,)


def test_refused_where_airflow_is(conn: Connection[Any]) -> None:
    conn.execute("delete from pgbackfill.host_table")  # as the migration leaves it on Airflow's database
    with pytest.raises(psycopg.Error) as error:
        version(conn, "d", "@daily")
    assert error.value.sqlstate == "PB014"
