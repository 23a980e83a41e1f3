"""migrate, status and uninstall."""

from __future__ import annotations

import re
from collections.abc import Callable

import psycopg
import pytest
from cli.conftest import Command
from pgbackfill import migrate
from pgbackfill.resources import INDEXES
from psycopg.conninfo import make_conninfo
from support.dags import create, register
from support.host import airflows_tables
from support.psql import PsqlError
from support.snapshot import catalog_snapshot


def relations(dsn: str) -> int:
    with psycopg.connect(dsn) as conn:
        row = conn.execute(
            "select count(*) from pg_class c where c.relnamespace = to_regnamespace('pgbackfill')"
            " or c.relnamespace = 'public'::regnamespace"
        ).fetchone()
        assert row is not None
        return int(row[0])


def test_migrate_says_each_revision_and_then_that_nothing_is_left(bare_pgb: Command) -> None:
    introduction, *printed = bare_pgb("migrate").out.splitlines()
    assert introduction == "no Airflow in schema public: tables of its shape are made"
    assert [line[:4] for line in printed[:-1]] == migrate.revisions()
    assert all(re.fullmatch(r"\w{4} +\d+\.\d\d s  .+", line) for line in printed[:-1])
    assert printed[-1] == f"up to date at {migrate.heads()}"
    assert bare_pgb("migrate").out.splitlines() == [
        "tables: of Airflow's shape, made by pgbackfill, in schema public",
        f"nothing to do: the database is at {migrate.heads()}",
    ]


def test_migrate_up_to_a_revision(bare_pgb: Command, empty_dsn: str) -> None:
    assert bare_pgb("migrate", "--revision", "0002").out.endswith("done at 0002\n")
    assert migrate.current(empty_dsn) == "0002"
    left = bare_pgb("migrate", "--json").document
    assert left["revision_before"] == "0002"
    assert left["applied"] == migrate.revisions()[2:]


def test_printed_sql_touches_nothing(bare_pgb: Command, empty_dsn: str) -> None:
    up = bare_pgb("migrate", "--sql").out
    down = bare_pgb("uninstall", "--sql").out
    assert "create or replace function pgbackfill.create_backfill" in up
    assert "drop function if exists pgbackfill.create_backfill" in down
    assert relations(empty_dsn) == 0


def test_an_unknown_revision_is_one_line(bare_pgb: Command) -> None:
    failed = bare_pgb("migrate", "--revision", "nonsense", status=1)
    assert failed.err == "pgbackfill: error: Can't locate revision identified by 'nonsense'\n"


def test_status_of_an_empty_database(bare_pgb: Command) -> None:
    shown = bare_pgb("status", status=1)
    assert re.search(r"^tables +none in schema public$", shown.out, re.MULTILINE)
    assert re.search(r"^revision +not installed$", shown.out, re.MULTILINE)
    assert shown.err == "hint: pgbackfill migrate\n"


def test_status_of_an_older_revision(bare_pgb: Command) -> None:
    bare_pgb("migrate", "--revision", "0002")
    shown = bare_pgb("status", status=1)
    behind = len(migrate.revisions()) - 2
    assert f"0002, {behind} steps behind {migrate.heads()}" in shown.out


def test_status_up_to_date(pgb: Command, dsn: str) -> None:
    with psycopg.connect(dsn) as conn:
        for dag_id in ("a", "b"):
            register(conn, dag_id)
            conn.execute("select from pgbackfill.create_backfill(%s, '2026-01-01 UTC', '2026-01-02 UTC')", [dag_id])
        conn.execute("select from pgbackfill.pause_backfill(1)")
    shown = pgb("status")
    assert re.search(r"^indexes +3 valid$", shown.out, re.MULTILINE)
    assert re.search(r"^functions +\d{3} installed$", shown.out, re.MULTILINE)
    document = pgb("status", "--json").document
    assert document["up_to_date"] is True
    assert document["host"] == {"kind": "standalone", "schema": "public"}
    assert document["active_backfills"] == {"paused": 1, "queued": 1}
    assert [i["name"] for i in document["indexes"]] == list(INDEXES)


@pytest.mark.parametrize(
    ("damage", "state"),
    [
        (
            "update pg_index set indisvalid = false where indexrelid = 'pgbackfill_dag_run_backfill_id'::regclass",
            "invalid",
        ),
        ("drop index pgbackfill_dag_run_backfill_id", "missing"),
    ],
)
def test_status_of_a_damaged_index(pgb: Command, dsn: str, damage: str, state: str) -> None:
    with psycopg.connect(dsn) as conn:
        conn.execute(damage)
    assert f"pgbackfill_dag_run_backfill_id is {state}" in pgb("status", status=1).out


def test_all_own_indexes_are_looked_at(dsn: str) -> None:
    with psycopg.connect(dsn) as conn:
        rows = conn.execute("select indexname from pg_indexes where indexname like 'pgbackfill\\_%'").fetchall()
    assert {name for (name,) in rows} == set(INDEXES)


def test_uninstall_asks_and_without_an_answer_does_nothing(pgb: Command, dsn: str) -> None:
    refused = pgb("uninstall", stdin="", status=2)
    assert refused.err == "pgbackfill: error: removing pgbackfill needs a confirmation\nhint: Say --yes.\n"
    assert migrate.current(dsn) == migrate.heads()


def test_uninstall_leaves_nothing(bare_pgb: Command, empty_dsn: str) -> None:
    bare_pgb("migrate")
    removed = bare_pgb("uninstall", "--yes").out.splitlines()
    assert [line[:4] for line in removed[:-1]] == migrate.revisions()[::-1]
    assert removed[-1] == "pgbackfill is removed"
    assert relations(empty_dsn) == 0
    assert bare_pgb("uninstall", "--yes").out == "nothing to do: pgbackfill is not installed\n"


def test_uninstall_does_not_drop_rows_unless_told_so(bare_pgb: Command, empty_dsn: str) -> None:
    bare_pgb("migrate")
    with psycopg.connect(empty_dsn) as conn:
        register(conn)
    refused = bare_pgb("uninstall", "--yes", status=1)
    assert "has rows" in refused.err
    assert "hint: Save what you need, then say --drop-data" in refused.err
    assert bare_pgb("uninstall", "--yes", "--drop-data", "--json").document["revision"] is None
    assert relations(empty_dsn) == 0


def test_missing_parts_are_reported_and_can_be_repaired(pgb: Command, dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as conn:
        register(conn)
        create(conn, idempotency_key="k")
        conn.execute("drop trigger pgbackfill_guard_update on backfill")
        conn.execute("alter table dag_run disable trigger pgbackfill_changed_run")
        shown = pgb("status", status=1)
        assert "pgbackfill_guard_update is missing" in shown.out
        assert "pgbackfill_changed_run is disabled" in shown.out
        pgb("migrate")
        pgb("status")
        assert conn.execute("select count(*) from pgbackfill.idempotency_key").fetchone() == (1,)


def test_missing_indexes_are_reported(pgb: Command, dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute("drop index pgbackfill_dag_run_backfill_id")
        said = pgb("migrate", status=1).err
        assert "the index pgbackfill_dag_run_backfill_id is missing" in said
        for statement in said.splitlines()[1].removeprefix("hint: ").split(";"):
            conn.execute(statement.encode())
    pgb("status")


@pytest.mark.parametrize("revision", ["0003", "0008", "head"])
def test_tables_that_are_gone_are_reported(bare_pgb: Command, empty_dsn: str, revision: str) -> None:
    bare_pgb("migrate", "--revision", revision)
    with psycopg.connect(empty_dsn, autocommit=True) as conn:
        conn.execute("drop schema public cascade")
        conn.execute("create schema public")
    shown = bare_pgb("status", status=1)
    assert "initialized_at is missing" in shown.out
    assert "hint: They are gone: pgbackfill uninstall." in shown.err
    refused = bare_pgb("migrate", status=1)
    assert "the tables in schema public are not those that were migrated" in refused.err
    assert "hint: They are gone: pgbackfill uninstall." in refused.err
    assert refused.out == ""
    bare_pgb("uninstall", "--yes")
    assert relations(empty_dsn) == 0
    bare_pgb("migrate")
    bare_pgb("status")


@pytest.mark.parametrize("revision", ["0003", "0008", "head"])
def test_a_column_that_is_gone_comes_back_and_no_row_is_lost(bare_pgb: Command, empty_dsn: str, revision: str) -> None:
    bare_pgb("migrate")
    with psycopg.connect(empty_dsn, autocommit=True) as conn:
        register(conn)
        create(conn, idempotency_key="k")
        if revision != "head":
            migrate.downgrade(empty_dsn, revision)
        conn.execute("alter table backfill drop column initialized_at")
        advice = re.search(r"downgrade (\d+), upgrade head", bare_pgb("migrate", status=1).err)
        assert advice is not None
        assert advice[0] in bare_pgb("status", status=1).err
        migrate.downgrade(empty_dsn, advice[1])
        migrate.upgrade(empty_dsn)
        bare_pgb("status")
        assert conn.execute("select count(*) > 0 from dag_run").fetchone() == (True,)
        assert conn.execute("select count(*) from pgbackfill.idempotency_key").fetchone() == (1,)


def test_tables_that_an_airflow_made_anew_are_its_own(bare_pgb: Command, empty_dsn: str) -> None:
    bare_pgb("migrate")
    with psycopg.connect(empty_dsn, autocommit=True) as conn:
        register(conn)
        conn.execute("create table slot_pool (id integer)")
        assert bare_pgb("status", "--json").document["host"]["kind"] == "airflow"
        bare_pgb("uninstall", "--yes", "--drop-data")
        assert conn.execute("select count(*) from dag").fetchone() == (1,)


def test_a_role_that_may_not_look_is_told_so(pgb: Command, dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as conn:
        role = f"service_{conn.info.backend_pid}"
        conn.execute(f"create role {role}")
        conn.execute(f"grant usage on schema pgbackfill to {role}")
        try:
            refused = pgb("status", "--dsn", make_conninfo(dsn, options=f"-c role={role}"), status=1).err
        finally:
            conn.execute(f"drop owned by {role}")
            conn.execute(f"drop role {role}")
    assert re.fullmatch(r"pgbackfill: error: permission denied for .+ \[42501\]\n", refused)


def test_an_interrupted_repair_is_resumed(pgb: Command, dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as conn, psycopg.connect(dsn) as writer:
        conn.execute("alter table dag_run disable trigger pgbackfill_changed_run")
        writer.execute("lock table dag_run in row exclusive mode")
        pgb("migrate", "--lock-timeout", "10ms", status=1)
        writer.rollback()
    assert "up to date" in pgb("migrate").out
    pgb("status")


def test_printed_sql_for_another_schema_changes_nothing(
    bare_pgb: Command, empty_dsn: str, psql: Callable[..., str]
) -> None:
    """Without --schema, `uninstall --sql` would take away half of what is there."""
    with psycopg.connect(empty_dsn, autocommit=True) as conn:
        conn.execute("create schema airflow")
        with airflows_tables(empty_dsn, "airflow"):
            pass
        bare_pgb("migrate", "--schema", "airflow")
        before = catalog_snapshot(conn, host_schema="airflow")
        with pytest.raises(PsqlError, match='in the schema "airflow", not in "public"'):
            psql(bare_pgb("uninstall", "--sql").out, dsn=empty_dsn)
        assert catalog_snapshot(conn, host_schema="airflow") == before


def test_a_client_that_goes_on_after_an_error_leaves_the_steps_below_it(
    bare_pgb: Command, empty_dsn: str, psql: Callable[..., str]
) -> None:
    """psql without ON_ERROR_STOP: a step whose predecessor failed is undone, not half applied."""
    printed = bare_pgb("migrate", "--sql").out
    step = "-- Running upgrade 0007 -> 0008"
    assert printed.count(step) == 1
    psql(printed.replace(step, f"{step}\nselect 1 / 0;"), "--set=ON_ERROR_STOP=0", dsn=empty_dsn)
    with psycopg.connect(empty_dsn, autocommit=True) as conn:
        assert conn.execute("select version_num from pgbackfill.alembic_version").fetchone() == ("0007",)
        found = conn.execute("select count(*) from pg_trigger where tgname like 'pgbackfill%'").fetchone()
        assert found == (0,)
    bare_pgb("migrate")
    bare_pgb("status")


def test_others_views_keep_it_from_going(pgb: Command, dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute("create view public.report as select * from pgbackfill.backfills")
        assert "other objects depend on pgbackfill: report" in pgb("uninstall", "--yes", status=1).err
        pgb("status")
        conn.execute("drop view public.report")


@pytest.mark.parametrize(
    "stranger", ["function pgbackfill.mine() returns integer return 1", "table pgbackfill.notes (note text)"]
)
def test_what_others_put_into_its_schema_keeps_it_from_going(pgb: Command, dsn: str, stranger: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute(f"create {stranger}".encode())
        refused = pgb("uninstall", "--yes", "--drop-data", status=1)
        assert "the schema pgbackfill has objects that are not pgbackfill's: pgbackfill." in refused.err
        pgb("status")


def test_a_schema_that_stayed_behind_goes(bare_pgb: Command, empty_dsn: str) -> None:
    with psycopg.connect(empty_dsn, autocommit=True) as conn:
        conn.execute("create schema pgbackfill")
        conn.execute("create table pgbackfill.alembic_version (version_num varchar(32) primary key)")
        assert bare_pgb("uninstall", "--yes").out == "pgbackfill is removed\n"
        assert conn.execute("select to_regnamespace('pgbackfill')").fetchone() == (None,)


@pytest.mark.parametrize(
    ("lost", "name"),
    [
        ("function pgbackfill.register_dag(text, interval, integer, boolean, text)", "register_dag"),
        ("function pgbackfill._parse_cron(text)", "_parse_cron"),
        ("view pgbackfill.anomalies", "anomalies"),
    ],
)
def test_missing_functions_are_reported(pgb: Command, dsn: str, lost: str, name: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute(f"drop {lost}".encode())
    assert f"{name} is missing" in pgb("status", status=1).out
    said = pgb("migrate", status=1).err
    assert f"of the functions and views {name} is missing" in said
    assert "downgrade 0006" in said

    migrate.downgrade(dsn, "0006")
    pgb("migrate")
    pgb("status")


def test_a_function_of_the_guard_comes_back_by_itself(pgb: Command, dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute("drop function pgbackfill._guard_backfill_update() cascade")
    pgb("status", status=1)
    pgb("migrate")
    pgb("status")


@pytest.mark.parametrize("command", [("status",), ("migrate",), ("uninstall", "--yes")])
def test_a_forgotten_schema_is_named_and_nothing_is_done(
    bare_pgb: Command, empty_dsn: str, command: tuple[str, ...]
) -> None:
    with psycopg.connect(empty_dsn, autocommit=True) as conn:
        conn.execute("create schema airflow")
        with airflows_tables(empty_dsn, "airflow"):
            pass
        expected = (
            "pgbackfill: error: Airflow's tables are in the schema airflow, not in public\nhint: --schema airflow\n"
        )
        assert bare_pgb(*command, status=1).err == expected
        bare_pgb("migrate", "--schema", "airflow")
        before = catalog_snapshot(conn, host_schema="airflow")
        assert bare_pgb(*command, status=1).err == expected
        conn.execute("create table public.backfill (id int)")  # a backfill of somebody else's
        assert bare_pgb(*command, status=1).err == expected
        assert catalog_snapshot(conn, host_schema="airflow") == before
        bare_pgb("status", "--schema", "airflow")
        bare_pgb("uninstall", "--schema", "airflow", "--yes")


def test_migrate_says_whose_tables_it_found(bare_pgb: Command, empty_dsn: str) -> None:
    with airflows_tables(empty_dsn) as conn:
        found = bare_pgb("migrate", "--revision", "0001").out.splitlines()[0]
        assert found == "tables: of Airflow, in schema public"
        conn.execute("create table alembic_version (version_num text)")
        conn.execute("insert into alembic_version values ('d2f4e1b3c5a7')")
        found = bare_pgb("migrate").out.splitlines()[0]
        assert found == "tables: of Airflow 3.3.0 or later (its revision d2f4e1b3c5a7), in schema public"
        assert bare_pgb("migrate", "--json").document["host"]["airflow_version"] == "3.3.0"


def test_a_range_of_revisions_can_only_be_printed(bare_pgb: Command, empty_dsn: str) -> None:
    refused = bare_pgb("migrate", "--revision", "0002:head", status=2)
    assert refused.err == (
        "pgbackfill: error: a range of revisions can only be printed\nhint: Say --sql, or one revision.\n"
    )
    assert "-- 0003\n" in bare_pgb("migrate", "--revision", "0002:head", "--sql").out
    assert relations(empty_dsn) == 0


@pytest.mark.parametrize("command", [("migrate",), ("uninstall",), ("repair", "duplicates", "--keep", "oldest")])
def test_a_lock_timeout_is_a_duration(bare_pgb: Command, command: tuple[str, ...]) -> None:
    refused = bare_pgb(*command, "--lock-timeout", "soon", status=2)
    assert "'soon' is no duration, such as 500ms, 5s or 1min" in refused.err


def test_printed_sql_says_what_each_revision_locks(bare_pgb: Command) -> None:
    for printed in (bare_pgb("migrate", "--sql").out, bare_pgb("uninstall", "--sql").out):
        for revision in migrate.revisions():
            about = re.search(rf"^-- {revision}\n((?:--.*\n)+)", printed, re.MULTILINE)
            assert about is not None
            assert "-- Locks: " in about[1]
