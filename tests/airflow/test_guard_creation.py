"""While an unmodified Airflow creates a backfill, nothing falls in between: each hazard, without and with the migrations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from statistics import median
from typing import Any

import pytest
from pgbackfill import migrate
from psycopg import Connection
from support.airflow import RELEASES, AirflowDatabase
from support.airflow_guard import (
    Rest,
    Worker,
    free,
    lined_up,
    slot_held,
    value,
    wait_until_gone,
    wait_until_held_up,
    workers,
)
from support.airflow_processes import RunningAirflow, running_airflow

DAG_ID = "linear"
FIRST, MIDDLE, LAST = "2026-01-05T06:00:00+00:00", "2026-01-08T06:00:00+00:00", "2026-01-11T06:00:00+00:00"
WINDOW = {"dag_id": DAG_ID, "from_date": "2026-01-05T00:00:00+00:00", "to_date": "2026-01-11T12:00:00+00:00"}
RUNS = 7
WAIT_ALLOWED_SECONDS = 0.1
SWEEPS = 50
RACERS, ROUNDS = 8, 25

# These complete every backfill without unfinished runs; later ones leave it alone for two minutes (#62561).
COMPLETED_AT_ONCE = ("3.0.6", "3.1.8")

pytestmark = [
    pytest.mark.parametrize("airflow", list(RELEASES), indirect=True),
    pytest.mark.parametrize("migrated", [False, True], ids=["unmigrated", "migrated"]),
]


@pytest.fixture
def database(airflow_db: AirflowDatabase, migrated: bool) -> AirflowDatabase:
    """A database of the release; with the migrations or without."""
    if migrated:
        migrate.upgrade(airflow_db.dsn)
    return airflow_db


def test_is_not_completed_while_its_runs_are_being_written(database: AirflowDatabase, migrated: bool) -> None:
    """However long that takes, no sweep completes it, and no sweep waits for it."""
    with workers(database, 2) as (creator, scheduler), database.connect() as conn:
        scheduler.ask("sweep", times=5)
        unhindered = scheduler.ask("sweep", times=SWEEPS)["seconds"]
        with slot_held(database, DAG_ID, MIDDLE) as holder:
            creator.send("create", **WINDOW)
            wait_until_held_up(conn, holder)
            hindered = scheduler.ask("sweep", times=SWEEPS)["seconds"]
            if not migrated:
                assert is_completed(conn) == (database.airflow.version in COMPLETED_AT_ONCE)
            grow_old(conn)
            hindered += scheduler.ask("sweep", times=SWEEPS)["seconds"]
            assert is_completed(conn) == (not migrated)
        print(
            f"sweeps: median {median(unhindered):.4f} s, longest {max(unhindered):.4f} s, while held {max(hindered):.4f} s"
        )

        backfill_id = creator.receive()["id"]
        if not migrated:
            return
        assert max(hindered) <= median(unhindered) + WAIT_ALLOWED_SECONDS
        assert status(conn) == ("queued", "created,completion_refused,initialized")
        scheduler.ask("sweep", times=1)
        assert not is_completed(conn)
        done = conn.execute("update dag_run set state = 'success' where backfill_id = %s", [backfill_id])
        assert done.rowcount == RUNS
        scheduler.ask("sweep", times=1)
        assert status(conn)[0] == "completed"


@pytest.mark.parametrize("slot", [FIRST, MIDDLE], ids=["between the transactions", "in the second transaction"])
def test_an_orphan_is_taken_away(database: AirflowDatabase, migrated: bool, slot: str) -> None:
    """A creator that dies leaves a backfill that the sweep ends, after the grace, and its DAG is free again."""
    with workers(database, 2) as (creator, scheduler), database.connect() as conn:
        with slot_held(database, DAG_ID, slot) as holder:
            creator.send("create", **WINDOW)
            backend = wait_until_held_up(conn, holder)
            creator.kill()
        wait_until_gone(conn, backend)
        assert conn.execute("select count(*) from backfill").fetchone() == (1,)

        scheduler.ask("sweep", times=1)
        # 3.0 and 3.1 complete it at once, as they do with those that are being created; that is the other hazard.
        assert is_completed(conn) == (not migrated and database.airflow.version in COMPLETED_AT_ONCE)
        if not is_completed(conn):
            assert scheduler.ask("create", **WINDOW)["error"] == "AlreadyRunningBackfill"
        grow_old(conn)
        # Later ones do not ask for it before the two minutes are over.
        refused = ",completion_refused" if database.airflow.version in COMPLETED_AT_ONCE else ""
        if migrated:
            with conn.transaction(force_rollback=True):
                conn.execute("select from pgbackfill.reap_abandoned_backfills()")
                assert status(conn) == ("abandoned", f"created{refused},initialization_failed")
            assert status(conn) == ("initializing", f"created{refused}")
        scheduler.ask("sweep", times=1)
        # Without the migrations too: what a release before 3.2 lacks is not this, and 3.2 and later guess by age.
        assert is_completed(conn)
        if migrated:
            assert status(conn) == ("abandoned", f"created{refused},initialization_failed")
        assert conn.execute("select count(*) from dag_run where dag_id = %s", [DAG_ID]).fetchone() == (0,)

        backfill_id = scheduler.ask("create", **WINDOW)["id"]
        written = conn.execute("select count(*) from dag_run where backfill_id = %s", [backfill_id])
        assert written.fetchone() == (RUNS,)


def test_one_of_many_processes_wins(database: AirflowDatabase, migrated: bool) -> None:
    """Of eight that create at once, one makes a backfill and seven fail and leave nothing."""
    lost: list[str] = []
    with workers(database, RACERS) as racers, database.connect() as conn:
        for turn in range(ROUNDS):
            with as_it_comes_or_lined_up(database, turn):
                answers = race(racers)
            active = active_ids(conn)
            if not migrated and len(active) > 1:
                print(f"{len(active)} active backfills in round {turn + 1}")
                return
            if migrated:
                assert active == [answer["id"] for answer in answers if "id" in answer]
                assert_only(conn, active)
                lost += [answer["error"] for answer in answers if "error" in answer]
            free(conn, DAG_ID)
    assert migrated, f"none of {ROUNDS} rounds had two active backfills"
    print(f"lost on the index: {lost.count('IntegrityError')} of {len(lost)}")
    assert len(lost) == (RACERS - 1) * ROUNDS
    assert set(lost) <= {"IntegrityError", "AlreadyRunningBackfill"}
    assert lost.count("IntegrityError") >= (RACERS - 1) * (ROUNDS // 2), "of those lined up, none was seen by a check"


def test_one_of_many_requests_wins(database: AirflowDatabase, migrated: bool) -> None:
    """Of eight requests at once, one is answered with 200 and seven with 409, none with 500."""
    lost: list[Any] = []
    with running_api(database) as (rest, api), database.connect() as conn:
        for turn in range(ROUNDS):
            with as_it_comes_or_lined_up(database, turn):
                answers = rest.race(RACERS, **WINDOW)
            statuses = sorted(answer.status for answer in answers)
            active = active_ids(conn)
            if not migrated and len(active) > 1:
                print(f"{len(active)} active backfills in round {turn + 1}: {statuses}")
                return
            if migrated:
                assert statuses == [200] + [409] * (RACERS - 1), f"{answers}\n{api.diagnosis()}"
                assert active == [answer.body["id"] for answer in answers if answer.status == 200]
                assert_only(conn, active)
                lost += [answer.body["detail"] for answer in answers if answer.status == 409]
            free(conn, DAG_ID)
    assert migrated, f"none of {ROUNDS} rounds had two active backfills"
    on_index = [detail for detail in lost if isinstance(detail, dict)]
    print(f"lost on the index: {len(on_index)} of {len(lost)}")
    assert len(on_index) >= (RACERS - 1) * (ROUNDS // 2), "of those lined up, none was seen by a check"
    assert {detail["reason"] for detail in on_index} == {"Unique constraint violation"}


def test_a_cancel_during_creation_leaves_no_run(database: AirflowDatabase, migrated: bool) -> None:
    """What is cancelled while its runs are being written gets none of them, and its DAG is free again."""
    with running_api(database) as (rest, api), workers(database, 1) as (creator,), database.connect() as conn:
        with slot_held(database, DAG_ID, MIDDLE) as holder:
            creator.send("create", **WINDOW)
            wait_until_held_up(conn, holder)
            cancel = rest.call("PUT", f"/backfills/{value(conn, 'select id from backfill')}/cancel")
            assert cancel.status == 200, f"{cancel}\n{api.diagnosis()}"
            assert is_completed(conn)
        assert_nobody_is_left_with_runs(conn, creator, migrated)
        if migrated:
            assert status(conn)[0] == "cancelled"


def test_a_creation_given_up_leaves_no_run(database: AirflowDatabase, migrated: bool) -> None:
    """A creator that shows no sign of life for the grace, not one run, is given up; what it writes later is undone."""
    with workers(database, 2) as (creator, scheduler), database.connect() as conn:
        with slot_held(database, DAG_ID, FIRST) as holder:
            creator.send("create", **WINDOW)
            wait_until_held_up(conn, holder)
            grow_old(conn)
            scheduler.ask("sweep", times=1)
            assert is_completed(conn)
        assert_nobody_is_left_with_runs(conn, creator, migrated)
        if migrated:
            assert status(conn) == ("abandoned", "created,initialization_failed")


def assert_nobody_is_left_with_runs(conn: Connection[Any], creator: Worker, migrated: bool) -> None:
    """Its backfill was completed under a creator's hands. Unmigrated, the fault: it wrote its runs nevertheless."""
    answer = creator.receive()
    assert is_completed(conn)
    queued = value(conn, "select count(*) from dag_run where dag_id = %s and state = 'queued'", [DAG_ID])
    slots = value(conn, "select count(*) from backfill_dag_run")
    if not migrated:
        assert "id" in answer
        assert (queued, slots) == (RUNS, RUNS)
        return
    assert answer.get("sqlstate") == "PB012", answer
    assert (queued, slots) == (0, 0)
    assert value(conn, "select count(*) from dag_run where dag_id = %s", [DAG_ID]) == 0
    assert "id" in creator.ask("create", **WINDOW), "the DAG is free again"


@contextmanager
def running_api(database: AirflowDatabase) -> Iterator[tuple[Rest, RunningAirflow]]:
    """The release's api-server on the database, and what to ask it with."""
    # A request holds two connections; Airflow's default of fifteen is one short of eight requests that stand still.
    roomy = replace(database, config={"database__sql_alchemy_pool_size": "20"})
    with running_airflow(roomy, ["api-server"]) as airflow:
        yield Rest.sign_in(airflow.port), airflow


def as_it_comes_or_lined_up(database: AirflowDatabase, turn: int) -> AbstractContextManager[None]:
    """Every other round lets all of them pass Airflow's check first, so that not luck decides how close it is."""
    return lined_up(database, RACERS) if turn % 2 else nullcontext()


def race(racers: list[Worker]) -> list[dict[str, Any]]:
    for racer in racers:
        racer.send("create", **WINDOW)
    return [racer.receive() for racer in racers]


def active_ids(conn: Connection[Any]) -> list[int]:
    return [row[0] for row in conn.execute("select id from backfill where completed_at is null order by id")]


def assert_only(conn: Connection[Any], backfill_ids: list[int]) -> None:
    """One backfill with all its runs is everything that is there."""
    rows = conn.execute(
        """
        select
          array(select id from backfill),
          array(select distinct backfill_id from backfill_dag_run),
          (select count(dag_run_id) from backfill_dag_run),
          array(select distinct backfill_id from dag_run),
          (select count(*) from dag_run)
        """
    ).fetchone()
    assert len(backfill_ids) == 1
    assert rows == (backfill_ids, backfill_ids, RUNS, backfill_ids, RUNS)


def is_completed(conn: Connection[Any]) -> bool:
    return conn.execute("select completed_at is not null from backfill").fetchall() == [(True,)]


def grow_old(conn: Connection[Any]) -> None:
    """Let three minutes pass since the backfill's row was written."""
    conn.execute("update backfill set created_at = created_at - interval '3 minutes'")


def status(conn: Connection[Any]) -> tuple[str, str]:
    """The status of the oldest backfill, and its events."""
    row = conn.execute(
        """
        select b.status, (select string_agg(e.event, ',' order by e.id) from pgbackfill.event e where e.backfill_id = b.id)
        from pgbackfill.backfills b
        order by b.id
        limit 1
        """
    ).fetchone()
    assert row is not None
    return row[0], row[1]
