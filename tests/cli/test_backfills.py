"""create, dry-run, list, show, pause, unpause and cancel."""

from __future__ import annotations

import getpass
import json
from pathlib import Path
from typing import Any

import psycopg
import pytest
from cli.conftest import Command
from pgbackfill.cli import main
from psycopg import Connection
from support.dags import create as create_in_sql
from support.dags import finish_runs, register

WINDOW = ("--dag-id", "daily", "--from-date", "2026-01-01", "--to-date", "2026-01-03")

# `airflow backfill create --help` of Airflow 3.3.2.
AIRFLOWS_OPTIONS = {
    "--dag-id",
    "--from-date",
    "--to-date",
    "--dag-run-conf",
    "--run-backwards",
    "--max-active-runs",
    "--reprocess-behavior",
    "--run-on-latest-version",
    "--no-run-on-latest-version",
    "--dry-run",
}


@pytest.fixture(autouse=True)
def dag(conn: Connection[Any]) -> None:
    register(conn)


def test_create_takes_the_options_of_airflows_command() -> None:
    options = {o for p in main.commands["create"].params for o in (*p.opts, *p.secondary_opts)}
    assert options >= AIRFLOWS_OPTIONS


def test_create_with_every_option(pgb: Command) -> None:
    created = pgb(
        "create",
        *WINDOW,
        "--dag-run-conf",
        '{"x": [1, "ü"]}',
        "--run-backwards",
        "--max-active-runs",
        3,
        "--reprocess-behavior",
        "completed",
        "--no-run-on-latest-version",
        "--idempotency-key",
        "k",
        "--triggering-user-name",
        "jo",
        "--json",
    ).document
    assert created["dag_run_conf"] == {"x": [1, "ü"]}
    assert (created["max_active_runs"], created["reprocess_behavior"]) == (3, "completed")
    assert created["triggering_user_name"] == "jo"
    assert (created["from_date"], created["to_date"]) == ("2026-01-01T00:00:00Z", "2026-01-03T00:00:00Z")
    runs = pgb("show", created["id"], "--runs", "--json").document["dag_runs"]
    assert [r["logical_date"][:10] for r in runs] == ["2026-01-03", "2026-01-02", "2026-01-01"]


def test_create_with_the_databases_own_defaults(pgb: Command) -> None:
    assert pgb("create", *WINDOW).out == "backfill 1 of daily, queued: 3 created, 0 cleared, 0 skipped\n"
    (backfill,) = pgb("list", "--json").document
    assert (backfill["max_active_runs"], backfill["reprocess_behavior"]) == (10, "none")
    assert backfill["triggering_user_name"] == getpass.getuser()


def test_create_keeps_the_conf_of_cleared_runs_as_airflows_command_does(pgb: Command, conn: Connection[Any]) -> None:
    pgb("create", *WINDOW, "--dag-run-conf", '{"x": 1}')
    finish_runs(conn, 1)
    pgb("cancel", 1)
    pgb("create", *WINDOW, "--reprocess-behavior", "completed")
    assert conn.execute("select distinct conf from dag_run").fetchall() == [({"x": 1},)]


def test_a_date_without_an_offset_is_utc(pgb: Command) -> None:
    for text, instant in {
        "2026-01-01": "2026-01-01T00:00:00Z",
        "2026-01-01T06:00": "2026-01-01T06:00:00Z",
        "2026-01-01 06:00:00": "2026-01-01T06:00:00Z",
        "2026-01-01T06:00:00Z": "2026-01-01T06:00:00Z",
        "2026-01-01T06:00:00+02:00": "2026-01-01T04:00:00Z",
    }.items():
        created = pgb("create", "--dag-id", "daily", "--from-date", text, "--to-date", "2026-01-03", "--json").document
        assert created["from_date"] == instant
        pgb("cancel", created["id"])


@pytest.mark.parametrize("command", [("dry-run",), ("create", "--dry-run")])
def test_a_dry_run_says_what_happens_to_each_slot_and_why(
    pgb: Command, conn: Connection[Any], command: tuple[str, ...]
) -> None:
    create_in_sql(conn, last="2026-01-02")
    conn.execute("update dag_run set state = 'failed' where logical_date = '2026-01-01 UTC'")
    planned = pgb(*command, *WINDOW, "--reprocess-behavior", "failed")
    header, *rows, summary = planned.out.splitlines()
    assert header.split("  ")[0] == "#"
    assert [row.split()[3:-1] for row in rows] == [["clear"], ["skip", "in", "flight"], ["create"]]
    assert summary == "3 slots: 1 to create, 1 to clear, 1 to skip (1 in flight)"
    document = pgb(*command, *WINDOW, "--reprocess-behavior", "failed", "--json").document
    assert document["summary"] == {"create": 1, "clear": 1, "skip": 1}
    assert [s["exception_reason"] for s in document["slots"]] == [None, "in flight", None]
    assert conn.execute("select count(*) from backfill").fetchone() == (1,)


def test_a_dry_run_without_slots(pgb: Command) -> None:
    planned = pgb("dry-run", "--dag-id", "daily", "--from-date", "2026-01-01T01:00", "--to-date", "2026-01-01T02:00")
    assert planned.out == "no slot: the schedule has none in this window whose data interval has ended\n"


def test_a_backfill_of_which_nothing_runs_says_why(pgb: Command, conn: Connection[Any]) -> None:
    create_in_sql(conn)
    finish_runs(conn, 1)
    pgb("cancel", 1)
    created, why = pgb("create", *WINDOW).out.splitlines()
    assert created.endswith("0 created, 0 cleared, 3 skipped")
    assert why == "nothing will run: every slot has a run already; --reprocess-behavior says which runs to run again"


def test_infos_come_from_a_file_or_from_stdin(pgb: Command, tmp_path: Path) -> None:
    at = "2026-01-02T08:00:00Z"
    infos = json.dumps([{"logical_date": at, "data_interval_start": at, "data_interval_end": at, "run_after": at}])
    file = tmp_path / "infos.json"
    file.write_text(infos, encoding="utf-8")
    for source, stdin in ((file, None), ("-", infos)):
        planned = pgb("dry-run", *WINDOW, "--infos", source, "--json", stdin=stdin).document
        assert [s["logical_date"] for s in planned["slots"]] == [at]


def test_list_is_complete_in_a_pipe(pgb: Command, conn: Connection[Any]) -> None:
    long_id = register(conn, "d" * 250)
    create_in_sql(conn, long_id)
    create_in_sql(conn, "daily")
    header, *rows = pgb("list").out.splitlines()
    assert header.split() == ["ID", "DAG", "STATUS", "FROM", "TO", "CREATED", "AT", "SLOTS"]
    assert [row.split()[1] for row in rows] == ["daily", long_id]
    assert [row.split()[1] for row in pgb("list", "--dag-id", "daily", "--active").out.splitlines()[1:]] == ["daily"]
    assert pgb("list", "--completed").out == "no backfills\n"
    assert len(pgb("list", "--limit", 1, "--json").document) == 1


def test_show(pgb: Command, conn: Connection[Any]) -> None:
    create_in_sql(conn, max_active_runs=2)
    conn.execute("select pgbackfill.finish_dag_run(dag_run_id, 'failed') from pgbackfill.start_queued_dag_runs(1)")
    facts = dict(line.split("  ", 1) for line in pgb("show", 1).out.splitlines())
    facts = {name.strip(): value.strip() for name, value in facts.items()}
    assert facts["backfill"] == "1 of daily, running"
    assert facts["window"] == "2026-01-01T00:00Z to 2026-01-03T00:00Z"
    assert facts["runs"] == "0 success, 1 failed, 0 running, 2 queued"
    assert facts["finished"] == "33 %"
    assert pgb("show", 1, "--json").document["progress"]["percent_finished"] == 33.3
    rows = pgb("show", 1, "--runs").out.split("\n\n")[1].splitlines()[1:]
    assert [row.split()[2] for row in rows] == ["failed", "queued", "queued"]


def test_the_life_of_a_backfill(pgb: Command) -> None:
    pgb("create", *WINDOW)
    assert pgb("pause", 1).out == "backfill 1 of daily: paused\n"
    assert pgb("unpause", 1).out == "backfill 1 of daily: queued\n"
    assert pgb("cancel", 1, "--json").document["status"] == "cancelled"
    refused = pgb("pause", 1, status=1)
    assert (refused.out, refused.err) == ("", "pgbackfill: error: backfill 1 is already completed [PB012]\n")


def test_a_refusal_is_one_line_with_the_detail_and_the_hint(pgb: Command, dsn: str) -> None:
    pgb("create", *WINDOW)
    refused = pgb("create", *WINDOW, "--json", status=1)
    assert refused.out == ""
    error, hint = refused.err.splitlines()
    assert error == 'pgbackfill: error: another backfill of DAG "daily" is active (active backfill: 1) [PB001]'
    assert hint.startswith("hint: There can be only one active backfill per DAG")
    with psycopg.connect(dsn) as conn:
        assert conn.execute("select count(*) from backfill").fetchone() == (1,)


def test_common_options_are_taken_before_and_after_the_subcommand(bare_pgb: Command, dsn: str) -> None:
    assert bare_pgb("--dsn", dsn, "--json", "list").document == []
    assert bare_pgb("list", "--dsn", dsn, "--json").document == []
    assert "not installed" in bare_pgb("list", status=1).err


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--dag-id", "daily"), "Missing option '--from-date'."),
        ((*WINDOW, "--to-date", "soon"), "Invalid value for '--to-date': 'soon' is no ISO 8601 date"),
        ((*WINDOW, "--max-active-runs", "0"), "Invalid value for '--max-active-runs'"),
        ((*WINDOW, "--dag-run-conf", "{x"), "Invalid value for '--dag-run-conf': is no JSON"),
        ((*WINDOW, "--infos", "/no/such/file"), "Invalid value for '--infos'"),
        ((*WINDOW, "--reprocess-behavior", "all"), "Invalid value for '--reprocess-behavior'"),
        ((*WINDOW, "--colour"), "No such option"),
    ],
)
def test_misuse_is_one_line_and_status_2(pgb: Command, options: tuple[str, ...], complaint: str) -> None:
    refused = pgb("create", *options, status=2)
    error, hint = refused.err.splitlines()
    assert error.startswith(f"pgbackfill: error: {complaint}")
    assert hint.endswith("create --help")
