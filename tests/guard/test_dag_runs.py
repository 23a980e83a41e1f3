"""What the guard refuses and corrects in the runs of backfills, whoever writes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg import Connection
from support.dags import create, finish_runs, register


@pytest.fixture
def backfill_id(conn: Connection[Any]) -> int:
    register(conn)
    register(conn, "other")
    return create(conn)


def insert_run(conn: Connection[Any], dag_id: str, day: str, backfill_id: int | None) -> int:
    row = conn.execute(
        "insert into dag_run (dag_id, run_id, run_type, logical_date, run_after, state, backfill_id, triggering_user_name) "
        "values (%s, %s, 'scheduled', %s, %s, 'success', %s, 'before') returning id",
        [dag_id, f"run__{day}", f"{day} UTC", f"{day} UTC", backfill_id],
    ).fetchone()
    assert row is not None
    return int(row[0])


def test_a_new_run_of_another_dag_is_refused(conn: Connection[Any], backfill_id: int) -> None:
    with pytest.raises(psycopg.errors.ForeignKeyViolation, match='run "run__2026-02-01" is of DAG "other"'):
        insert_run(conn, "other", "2026-02-01", backfill_id)
    insert_run(conn, "daily", "2026-02-01", backfill_id)


def test_a_run_of_another_dag_cannot_be_attached(conn: Connection[Any], backfill_id: int) -> None:
    """Airflow 3.0.0 attached the runs of every DAG at that date (#50527)."""
    insert_run(conn, "other", "2026-01-01", None)
    with pytest.raises(psycopg.errors.ForeignKeyViolation):
        conn.execute("update dag_run set backfill_id = %s where logical_date = '2026-01-01 UTC'", [backfill_id])


def test_it_is_refused_after_a_right_one_in_the_same_transaction(conn: Connection[Any], backfill_id: int) -> None:
    with conn.transaction():
        insert_run(conn, "daily", "2026-02-01", backfill_id)
        with pytest.raises(psycopg.errors.ForeignKeyViolation), conn.transaction():
            insert_run(conn, "other", "2026-02-01", backfill_id)
        insert_run(conn, "daily", "2026-02-02", backfill_id)


def test_an_unknown_backfill_is_the_foreign_keys_affair(conn: Connection[Any], backfill_id: int) -> None:
    with pytest.raises(psycopg.errors.ForeignKeyViolation, match="dag_run_backfill_id_fkey"):
        insert_run(conn, "daily", "2026-02-01", 0)


def test_a_run_that_is_taken_over_names_who_asked(conn: Connection[Any], backfill_id: int) -> None:
    """Airflow leaves the name of the run before (#62126)."""
    run = insert_run(conn, "daily", "2026-02-01", None)
    conn.execute("update backfill set triggering_user_name = 'ada'")
    conn.execute("update dag_run set backfill_id = %s, triggered_by = 'BACKFILL' where id = %s", [backfill_id, run])
    assert conn.execute("select triggering_user_name from dag_run where id = %s", [run]).fetchone() == ("ada",)


def test_so_does_a_run_that_create_backfill_clears(conn: Connection[Any], backfill_id: int) -> None:
    finish_runs(conn, backfill_id)
    conn.execute("select from pgbackfill.mark_backfills_complete()")
    create(conn, reprocess_behavior="completed", triggering_user_name="ada")
    assert conn.execute("select distinct triggering_user_name from dag_run").fetchall() == [("ada",)]


def test_runs_that_airflows_cancel_fails_have_an_end(conn: Connection[Any], backfill_id: int) -> None:
    conn.execute("update dag_run set state = 'failed' where state = 'queued'")
    assert conn.execute("select count(*) from dag_run where end_date is null").fetchone() == (0,)


def test_an_end_that_is_given_is_kept(conn: Connection[Any], backfill_id: int) -> None:
    conn.execute("update dag_run set state = 'failed', end_date = '2026-01-09 UTC' where state = 'queued'")
    assert conn.execute("select distinct end_date = '2026-01-09 UTC' from dag_run").fetchall() == [(True,)]


def test_runs_without_a_backfill_are_left_alone(conn: Connection[Any]) -> None:
    register(conn)
    run = insert_run(conn, "daily", "2026-02-01", None)
    conn.execute("update dag_run set state = 'queued' where id = %s", [run])
    conn.execute("update dag_run set state = 'failed' where id = %s", [run])
    assert conn.execute("select end_date, triggering_user_name from dag_run").fetchone() == (None, "before")


def test_a_run_that_was_chosen_before_a_pause_does_not_start_after_it(conn: Connection[Any], backfill_id: int) -> None:
    """Airflow chooses runs, then locks their backfill, and does not look at is_paused again."""
    conn.execute("select from pgbackfill.pause_backfill(%s)", [backfill_id])
    conn.execute("update dag_run set state = 'running', start_date = now()")
    assert conn.execute("select distinct state, start_date from dag_run").fetchall() == [("queued", None)]


@pytest.mark.parametrize("state", ["failed", "running"])
def test_a_new_state_never_waits_for_who_holds_the_backfill(
    conn: Connection[Any], connect: Callable[..., Connection[Any]], backfill_id: int, state: str
) -> None:
    """The second update of a row in a transaction checks its foreign keys again."""
    conn.execute("select from pgbackfill.pause_backfill(%s)", [backfill_id])
    holder = connect()
    holder.execute("begin")
    holder.execute("select from backfill for update")
    conn.execute("set lock_timeout = '1ms'")
    conn.execute("update dag_run set state = %s", [state])
    assert conn.execute("select distinct state from dag_run").fetchall() == [(state,)]
