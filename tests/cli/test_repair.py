"""repair duplicates: before anything of pgbackfill is there, and after."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from cli.conftest import Command
from pgbackfill import migrate
from psycopg import Connection
from psycopg.rows import dict_row
from support.host import add_backfill, add_run, airflows_tables
from support.snapshot import catalog_snapshot

INDEX = "pgbackfill_one_active_backfill"


@pytest.fixture
def host(empty_dsn: str) -> Iterator[Connection[Any]]:
    with airflows_tables(empty_dsn) as conn:
        yield conn


@pytest.fixture
def twice(host: Connection[Any]) -> tuple[int, int]:
    """Two active backfills of one DAG, the older one first, each with a run in every state; and one of another DAG."""
    newer, older = add_backfill(host, "twice", age="1 day"), add_backfill(host, "twice", age="2 days")
    for backfill_id in (newer, older):
        for number, state in enumerate(("queued", "running", "success"), start=1):
            add_run(host, backfill_id, number, state)
    add_backfill(host, "once", slots=1)
    return older, newer


def backfills(conn: Connection[Any]) -> dict[int, dict[str, Any]]:
    return {b["id"]: b for b in conn.cursor(row_factory=dict_row).execute("select * from backfill order by id")}


def states(conn: Connection[Any], backfill_id: int) -> list[str]:
    rows = conn.execute("select state from dag_run where backfill_id = %s order by id", [backfill_id]).fetchall()
    return [state for (state,) in rows]


def events(conn: Connection[Any]) -> list[tuple[int, str, Any]]:
    return conn.execute(
        "select backfill_id, event, detail from pgbackfill.event where event <> 'initialized' order by id"
    ).fetchall()


@pytest.mark.parametrize("keep", ["oldest", "newest"])
def test_it_closes_all_but_one_as_a_cancel_does(
    bare_pgb: Command, host: Connection[Any], twice: tuple[int, int], keep: str
) -> None:
    kept, closed = twice if keep == "oldest" else twice[::-1]
    slots = host.execute("select * from backfill_dag_run order by id").fetchall()
    before = backfills(host)
    refused = bare_pgb("migrate", status=1)
    assert "[PB020]" in refused.err
    assert "pgbackfill repair duplicates --keep oldest (or newest)" in refused.err

    printed = bare_pgb("repair", "duplicates", "--keep", keep, "--yes").out.splitlines()
    assert printed[0].split() == ["DAG", "ID", "CREATED", "AT", "QUEUED", "RUNNING", "ACTION"]
    older, newer = twice
    assert [(row.split()[0], row.split()[1], row.split()[-1]) for row in printed[1:3]] == [
        ("twice", str(older), "keep" if kept == older else "close"),
        ("twice", str(newer), "keep" if kept == newer else "close"),
    ]
    assert printed[3] == "closed 1 backfill, kept 1; next: pgbackfill migrate"

    after = backfills(host)
    assert {i: b for i, b in after.items() if i != closed} == {i: b for i, b in before.items() if i != closed}
    assert after[closed]["completed_at"] is not None
    assert after[closed]["is_paused"] is False
    assert states(host, closed) == ["failed", "running", "success"]
    assert states(host, kept) == ["queued", "running", "success"]
    assert host.execute("select count(*) from dag_run where state = 'failed' and end_date is not null").fetchone() == (
        1,
    )
    assert host.execute("select * from backfill_dag_run order by id").fetchall() == slots
    assert events(host) == [(closed, "cancelled", {"by": "repair", "kept": kept})]

    bare_pgb("migrate")
    assert events(host) == [(closed, "cancelled", {"by": "repair", "kept": kept})]
    assert host.execute("select status from pgbackfill.backfills where id = %s", [closed]).fetchone() == ("cancelled",)


def test_where_there_is_nothing_to_repair_it_says_so_and_makes_nothing(
    bare_pgb: Command, host: Connection[Any], pgb: Command
) -> None:
    add_backfill(host, "once")
    add_backfill(host, "once", completed=True)
    before = catalog_snapshot(host)
    for command in (bare_pgb, pgb):
        repaired = command("repair", "duplicates", "--keep", "oldest")
        assert repaired.out == "nothing to repair: no DAG has several active backfills\n"
        assert command("repair", "duplicates", "--keep", "oldest", "--json").document == {
            "keep": "oldest",
            "closed": [],
            "kept": [],
        }
    assert catalog_snapshot(host) == before


def test_it_can_be_run_again(bare_pgb: Command, host: Connection[Any], twice: tuple[int, int]) -> None:
    document = bare_pgb("repair", "duplicates", "--keep", "oldest", "--yes", "--json").document
    assert [(b["id"], b["kept_id"], b["queued"], b["running"]) for b in document["closed"]] == [
        (twice[1], twice[0], 1, 1)
    ]
    assert [b["id"] for b in document["kept"]] == [twice[0]]
    assert document["closed"][0]["created_at"].endswith("Z")
    assert "nothing to repair" in bare_pgb("repair", "duplicates", "--keep", "newest", "--yes").out
    assert len(events(host)) == 1


def test_without_an_answer_it_does_nothing(bare_pgb: Command, host: Connection[Any], twice: tuple[int, int]) -> None:
    before = backfills(host), catalog_snapshot(host)
    refused = bare_pgb("repair", "duplicates", "--keep", "oldest", stdin="", status=2)
    assert refused.err == "pgbackfill: error: closing backfills needs a confirmation\nhint: Say --yes.\n"
    assert refused.out.count("\n") == 3
    assert (backfills(host), catalog_snapshot(host)) == before


def ask(dsn: str, meanwhile: Callable[[], Any], answer: str) -> tuple[int, str]:
    """Run the command on a terminal; `meanwhile` runs when it has asked and waits for the answer."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "pgbackfill", "--dsn", dsn, "repair", "duplicates", "--keep", "oldest"]
    with subprocess.Popen(
        command, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ}
    ) as process:
        assert process.stderr is not None
        asked = ""
        while not asked.endswith("[y/N]: "):
            character = process.stderr.read(1)
            assert character, asked
            asked += character
        meanwhile()
        os.write(ours, f"{answer}\n".encode())
        _, said = process.communicate()
    os.close(theirs)
    os.close(ours)
    return process.returncode, asked + said


def test_it_asks(host: Connection[Any], empty_dsn: str, twice: tuple[int, int]) -> None:
    before = backfills(host)
    status, said = ask(empty_dsn, lambda: None, "n")
    assert status == 130
    assert said.startswith("Close 1 backfill and fail 1 queued run? [y/N]: ")
    assert backfills(host) == before
    assert ask(empty_dsn, lambda: None, "y")[0] == 0
    assert backfills(host)[twice[1]]["completed_at"] is not None


def test_what_has_changed_since_it_was_shown_is_left_alone(
    host: Connection[Any], empty_dsn: str, twice: tuple[int, int]
) -> None:
    status, said = ask(empty_dsn, lambda: add_backfill(host, "twice", slots=1), "y")
    assert status == 1
    assert "have changed since they were shown; nothing was done" in said
    assert all(b["completed_at"] is None for b in backfills(host).values())
    assert events(host) == []


def test_it_waits_for_a_creation_that_is_writing_its_runs_and_fails_those_too(
    bare_pgb: Command,
    host: Connection[Any],
    empty_dsn: str,
    twice: tuple[int, int],
    wait_until_blocked: Callable[..., None],
) -> None:
    _, newer = twice
    with psycopg.connect(empty_dsn) as creator, ThreadPoolExecutor(1) as pool:
        add_run(creator, newer, 4, "queued")
        impatient = bare_pgb("repair", "duplicates", "--keep", "oldest", "--yes", "--lock-timeout", "50ms", status=1)
        assert "a backfill is locked" in impatient.err
        outcome = pool.submit(bare_pgb, "repair", "duplicates", "--keep", "oldest", "--yes", "--lock-timeout", "20s")
        pid = None
        while pid is None:
            row = host.execute(
                "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
            ).fetchone()
            pid = row and row[0]
        wait_until_blocked(host, pid)
        creator.commit()
        outcome.result()
    assert states(host, newer) == ["failed", "running", "success", "failed"]


def test_one_whose_runs_may_be_about_to_come_is_not_closed(bare_pgb: Command, host: Connection[Any]) -> None:
    add_backfill(host, "twice", slots=1)
    young = add_backfill(host, "twice", age="1 second")
    refused = bare_pgb("repair", "duplicates", "--keep", "oldest", "--yes", status=1)
    assert f"backfill {young} is less than two minutes old and has no runs yet" in refused.err
    assert all(b["completed_at"] is None for b in backfills(host).values())
    assert events(host) == []


def test_it_is_announced(bare_pgb: Command, host: Connection[Any], twice: tuple[int, int]) -> None:
    host.execute("listen pgbackfill")
    bare_pgb("repair", "duplicates", "--keep", "oldest", "--yes")
    (notification,) = host.notifies(timeout=10, stop_after=1)
    assert '"event" : "cancelled"' in notification.payload


def test_with_the_guard_in_place_it_is_recorded_once(bare_pgb: Command, host: Connection[Any], empty_dsn: str) -> None:
    migrate.upgrade(empty_dsn)
    host.execute(f"drop index {INDEX}")  # or it is invalid, or a restore went wrong
    first, second = add_backfill(host, "twice", slots=1, age="2 days"), add_backfill(host, "twice")
    add_run(host, second, 1, "queued")
    add_run(host, second, 2, "running")
    bare_pgb("repair", "duplicates", "--keep", "oldest", "--yes")
    assert backfills(host)[second]["completed_at"] is not None
    assert backfills(host)[second]["is_paused"] is False
    assert backfills(host)[first]["completed_at"] is None
    assert states(host, second) == ["failed", "running"]
    assert [e for e in events(host) if e[1] != "created"] == [(second, "cancelled", {"by": "repair", "kept": first})]


def test_three_of_a_dag_and_another_dag_in_another_schema(bare_pgb: Command, empty_dsn: str) -> None:
    with psycopg.connect(empty_dsn, autocommit=True) as conn:
        conn.execute('create schema "air""flow"')
        with airflows_tables(empty_dsn, 'air"flow'):
            pass
        conn.execute('set search_path = "air""flow"')
        a = [add_backfill(conn, "a") for _ in range(3)]
        b = [add_backfill(conn, "b") for _ in range(2)]
        refused = bare_pgb("migrate", "--schema", 'air"flow', status=1)
        assert '(or newest) --schema "air""flow"' in refused.err
        wrong = bare_pgb("repair", "duplicates", "--keep", "newest", "--yes", status=1)
        assert wrong.err.endswith('hint: --schema "air""flow"\n')
        bare_pgb("repair", "duplicates", "--keep", "newest", "--yes", "--schema", 'air"flow')
        active = conn.execute("select id from backfill where completed_at is null order by id").fetchall()
        assert active == [(a[-1],), (b[-1],)]
        bare_pgb("migrate", "--schema", 'air"flow')


def test_a_database_without_tables(bare_pgb: Command) -> None:
    refused = bare_pgb("repair", "duplicates", "--keep", "oldest", "--yes", status=1)
    assert refused.err.startswith("pgbackfill: error: there are no tables of Airflow in schema public\n")


def test_what_was_closed_stays_closed_when_pgbackfill_goes(
    bare_pgb: Command, host: Connection[Any], twice: tuple[int, int]
) -> None:
    bare_pgb("repair", "duplicates", "--keep", "oldest", "--yes")
    after = backfills(host)
    bare_pgb("uninstall", "--yes")
    assert backfills(host) == after
    assert host.execute("select to_regnamespace('pgbackfill')").fetchone() == (None,)
