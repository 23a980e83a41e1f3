"""Existing runs are cleared in place: the same row, a new attempt, the old one kept as history."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg import Connection
from psycopg.rows import dict_row
from support.dags import create, finish_runs, register, set_tasks
from support.plans import rows_of_plans, send_plans


@pytest.fixture
def finished(conn: Connection[Any]) -> int:
    """A completed backfill of one failed run: task a succeeded, b failed at its second try, c never ran."""
    register(conn)
    set_tasks(conn, "daily", {"task_id": "a"}, {"task_id": "b", "retries": 3}, {"task_id": "c"})
    backfill_id = create(conn, last="2026-01-01", dag_run_conf='{"old": 1}')
    conn.execute("update dag_run set state = 'failed', start_date = now() - interval '1 hour', end_date = now()")
    conn.execute(
        "update task_instance set state = 'success', try_number = 1, start_date = now() - interval '1 hour', end_date = now() where task_id = 'a'"
    )
    conn.execute(
        "update task_instance set state = 'failed', try_number = 2, start_date = now() - interval '1 hour', end_date = now() where task_id = 'b'"
    )
    conn.execute("select from pgbackfill.mark_backfills_complete()")
    return backfill_id


def rows(conn: Connection[Any], table: str, order: str) -> list[dict[str, Any]]:
    return conn.cursor(row_factory=dict_row).execute(f"select * from {table} order by {order}").fetchall()


def test_the_run_is_the_same_row_and_belongs_to_the_new_backfill(conn: Connection[Any], finished: int) -> None:
    (before,) = rows(conn, "dag_run", "id")
    backfill_id = create(conn, last="2026-01-01", reprocess_behavior="failed")
    (after,) = rows(conn, "dag_run", "id")
    assert (after["id"], after["run_id"]) == (before["id"], before["run_id"])
    assert after["state"] == "queued"
    assert after["clear_number"] == before["clear_number"] + 1
    assert after["backfill_id"] == backfill_id
    assert (after["start_date"], after["end_date"], after["last_scheduling_decision"]) == (None, None, None)
    assert after["queued_at"] > before["queued_at"]
    assert after["conf"] == {}, "the given conf, of which the default is empty"
    assert after["context_carrier"] != before["context_carrier"]


def test_a_null_conf_leaves_the_conf_of_cleared_runs(conn: Connection[Any], finished: int) -> None:
    create(conn, last="2026-01-01", reprocess_behavior="failed", dag_run_conf=None)
    assert rows(conn, "dag_run", "id")[0]["conf"] == {"old": 1}


def test_every_attempt_is_kept_and_a_new_one_begins(conn: Connection[Any], finished: int) -> None:
    before = rows(conn, "task_instance", "task_id")
    create(conn, last="2026-01-01", reprocess_behavior="failed")
    history = rows(conn, "task_instance_history", "task_id")
    after = rows(conn, "task_instance", "task_id")
    assert [h["task_instance_id"] for h in history] == [t["id"] for t in before]
    assert [(h["task_id"], h["state"], h["try_number"]) for h in history] == [
        ("a", "success", 1),
        ("b", "failed", 2),
        ("c", "failed", 0),
    ]
    assert history[2]["end_date"] is not None, "an attempt that had not finished ends now"
    assert not {t["id"] for t in after} & {t["id"] for t in before}
    assert [(t["state"], t["try_number"], t["max_tries"]) for t in after] == [(None, 1, 1), (None, 2, 5), (None, 0, 0)]
    (run,) = rows(conn, "dag_run", "id")
    assert {str(t["context_carrier"]) for t in after} == {str(run["context_carrier"])}


def test_clearing_twice_keeps_one_history_row_per_attempt(conn: Connection[Any], finished: int) -> None:
    for _ in range(2):
        create(conn, last="2026-01-01", reprocess_behavior="completed")
        conn.execute("update dag_run set state = 'success'")
        conn.execute("select from pgbackfill.mark_backfills_complete()")
    assert len(rows(conn, "task_instance_history", "task_id")) == 3


def test_reschedules_are_deleted(conn: Connection[Any], finished: int) -> None:
    conn.execute(
        "insert into task_reschedule (ti_id, start_date, end_date, duration, reschedule_date) select id, now(), now(), 1, now() from task_instance"
    )
    create(conn, last="2026-01-01", reprocess_behavior="failed")
    assert rows(conn, "task_reschedule", "id") == []


def new_version(conn: Connection[Any]) -> None:
    """The DAG is parsed again: task c is gone, d is new, b has another pool."""
    conn.execute("select from pgbackfill.register_dag('daily', '0 0 * * *', description => 'v2', max_active_runs => 7)")
    conn.execute(
        """
        update serialized_dag s set data = jsonb_set(s.data, '{dag,tasks}', '[
          {"__type": "operator", "__var": {"task_id": "a", "task_type": "EmptyOperator"}},
          {"__type": "operator", "__var": {"task_id": "b", "task_type": "EmptyOperator", "pool": "small"}},
          {"__type": "operator", "__var": {"task_id": "d", "task_type": "EmptyOperator"}}]')
        from dag_version v where v.id = s.dag_version_id and v.version_number = 2
        """
    )


def test_on_the_latest_version_removed_tasks_are_marked_and_new_ones_added(
    conn: Connection[Any], finished: int
) -> None:
    new_version(conn)
    create(conn, last="2026-01-01", reprocess_behavior="failed", run_on_latest_version=True)
    tasks = conn.execute(
        "select t.task_id, t.state, t.pool, v.version_number from task_instance t join dag_version v on v.id = t.dag_version_id order by 1"
    ).fetchall()
    assert tasks == [
        ("a", None, "default_pool", 2),
        ("b", None, "small", 2),
        ("c", "removed", "default_pool", 2),
        ("d", None, "default_pool", 2),
    ]
    run = conn.execute(
        "select v.version_number from dag_run r join dag_version v on v.id = r.created_dag_version_id"
    ).fetchone()
    assert run == (2,)


def test_on_its_own_version_the_tasks_stay(conn: Connection[Any], finished: int) -> None:
    new_version(conn)
    conn.execute("update dag_run set bundle_version = 'a commit'")
    create(conn, last="2026-01-01", reprocess_behavior="failed", run_on_latest_version=False)
    tasks = conn.execute(
        "select t.task_id, t.state, t.pool, v.version_number from task_instance t join dag_version v on v.id = t.dag_version_id order by 1"
    ).fetchall()
    assert tasks == [("a", None, "default_pool", 1), ("b", None, "default_pool", 1), ("c", None, "default_pool", 1)]


def test_on_a_version_that_sql_cannot_write_the_run_stays_as_it_is(conn: Connection[Any], finished: int) -> None:
    set_tasks(conn, "daily", {"task_id": "a", "weight_rule": "my.company.Heavy"}, {"task_id": "b"}, {"task_id": "c"})
    new_version(conn)
    conn.execute("update dag_run set bundle_version = 'a commit'")
    before = rows(conn, "task_instance", "id")
    with pytest.raises(psycopg.Error) as error:
        create(conn, last="2026-01-01", reprocess_behavior="failed", run_on_latest_version=False)
    assert error.value.sqlstate == "PB014"
    assert rows(conn, "task_instance", "id") == before
    create(conn, last="2026-01-01", reprocess_behavior="failed", run_on_latest_version=True)


def test_without_a_versioned_bundle_the_tasks_stay_as_they_are_now(conn: Connection[Any], finished: int) -> None:
    """Its own version is kept, but what will run is the newest code, so Airflow takes the attributes from there."""
    new_version(conn)
    create(conn, last="2026-01-01", reprocess_behavior="failed", run_on_latest_version=False)
    tasks = conn.execute(
        "select t.task_id, t.state, t.pool, v.version_number from task_instance t join dag_version v on v.id = t.dag_version_id order by 1"
    ).fetchall()
    assert tasks == [("a", None, "default_pool", 1), ("b", None, "small", 1), ("c", None, "default_pool", 1)]


def test_runs_of_several_versions_each_keep_theirs(conn: Connection[Any], finished: int) -> None:
    new_version(conn)
    second = create(conn, first="2026-01-02", last="2026-01-02")
    conn.execute("update dag_run set state = 'failed' where backfill_id = %s", [second])
    conn.execute("select from pgbackfill.mark_backfills_complete()")
    create(conn, last="2026-01-02", reprocess_behavior="failed", run_on_latest_version=False)
    versions = conn.execute(
        "select r.logical_date::date::text, array_agg(t.task_id::text order by t.task_id), min(v.version_number), max(v.version_number) "
        "from dag_run r join task_instance t using (dag_id, run_id) join dag_version v on v.id = t.dag_version_id group by 1 order by 1"
    ).fetchall()
    assert versions == [("2026-01-01", ["a", "b", "c"], 1, 1), ("2026-01-02", ["a", "b", "d"], 2, 2)]


def test_a_running_task_of_a_finished_run_restarts(conn: Connection[Any], finished: int) -> None:
    conn.execute("update task_instance set state = 'running', end_date = null, start_date = now() where task_id = 'c'")
    create(conn, last="2026-01-01", reprocess_behavior="failed")
    assert rows(conn, "task_instance", "task_id")[2]["state"] == "restarting"


def test_a_run_of_which_somebody_holds_a_task_is_in_flight(conn: Connection[Any], finished: int, dsn: str) -> None:
    with psycopg.connect(dsn) as holder:
        holder.execute("select from task_instance where task_id = 'b' for update")
        backfill_id = create(conn, last="2026-01-01", reprocess_behavior="failed")

    slots = conn.execute(
        "select dag_run_id, exception_reason from backfill_dag_run where backfill_id = %s", [backfill_id]
    ).fetchall()
    assert slots == [(None, "in flight")]
    assert conn.execute("select state, clear_number from dag_run").fetchall() == [("failed", 0)]


def test_clearing_costs_as_much_as_there_are_runs_though_no_statistics_know_them(conn: Connection[Any]) -> None:
    for dag_id in ("other", "daily"):
        register(conn, dag_id)
        set_tasks(conn, dag_id, {"task_id": "a"}, {"task_id": "b"})
    create(conn, "other", first="2010-01-01", last="2020-01-01")
    conn.execute("analyze")
    finish_runs(conn, create(conn, first="2020-01-01", last="2022-09-26"), "failed")
    conn.execute("select pgbackfill.mark_backfills_complete()")
    send_plans(conn)
    _, rows = rows_of_plans(
        conn,
        "select pgbackfill.create_backfill('daily', '2020-01-01', '2022-09-26', reprocess_behavior => 'failed')",
        [],
    )
    counts = conn.execute("select slots_cleared from pgbackfill.active_backfills where dag_id = 'daily'").fetchone()
    assert counts == (1000,)
    assert rows < 200 * 1000
