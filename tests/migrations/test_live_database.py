"""Migrating a database that is in use: duplicates, locks, interrupted builds, another schema, rows at stake."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
import sqlalchemy.exc
from pgbackfill import migrate
from psycopg import Connection
from support.dags import create, register
from support.host import add_backfill, airflows_tables
from support.psql import PsqlError
from support.snapshot import catalog_snapshot

INDEX = "pgbackfill_one_active_backfill"


@pytest.fixture
def host(empty_dsn: str) -> Iterator[Connection[Any]]:
    with airflows_tables(empty_dsn) as conn:
        yield conn


def sqlstate(error: pytest.ExceptionInfo[sqlalchemy.exc.DBAPIError]) -> str | None:
    return getattr(error.value.orig, "sqlstate", None)


def test_duplicates_stop_it_before_anything_is_changed(host: Connection[Any], empty_dsn: str) -> None:
    ids = [add_backfill(host, "twice"), add_backfill(host, "twice"), add_backfill(host, "once")]
    before = catalog_snapshot(host)
    with pytest.raises(sqlalchemy.exc.DBAPIError) as error:
        migrate.upgrade(empty_dsn)
    assert sqlstate(error) == "PB020"
    assert f"twice: {ids[0]}, {ids[1]}" in str(error.value)
    assert "once" not in str(error.value)
    assert catalog_snapshot(host) == before
    assert host.execute("select to_regnamespace('pgbackfill')").fetchone() == (None,)

    host.execute("update backfill set completed_at = now() where id = %s", [ids[1]])
    migrate.upgrade(empty_dsn)
    assert migrate.current(empty_dsn) == migrate.heads()


def test_existing_backfills_are_initialized_unless_they_are_being_created(
    host: Connection[Any], empty_dsn: str
) -> None:
    done, live, unborn = (
        add_backfill(host, "a", completed=True),
        add_backfill(host, "b", slots=2),
        add_backfill(host, "c"),
    )
    migrate.upgrade(empty_dsn)
    rows = host.execute("select id from backfill where initialized_at = created_at order by id").fetchall()
    assert rows == [(done,), (live,)]
    assert host.execute("select initialized_at from backfill where id = %s", [unborn]).fetchone() == (None,)


def test_an_invalid_index_is_built_again(host: Connection[Any], empty_dsn: str) -> None:
    migrate.upgrade(empty_dsn, "0004")
    add_backfill(host, "twice")
    second = add_backfill(host, "twice")
    with pytest.raises(psycopg.errors.UniqueViolation):
        host.execute(f"create unique index concurrently {INDEX} on backfill (dag_id) where completed_at is null")
    assert host.execute("select indisvalid from pg_index where indexrelid = %s::regclass", [INDEX]).fetchone() == (
        False,
    )
    with pytest.raises(sqlalchemy.exc.DBAPIError) as error:
        migrate.upgrade(empty_dsn)
    assert sqlstate(error) == "PB020"
    assert migrate.current(empty_dsn) == "0004"

    host.execute("delete from backfill where id = %s", [second])
    migrate.upgrade(empty_dsn)
    assert host.execute("select indisvalid from pg_index where indexrelid = %s::regclass", [INDEX]).fetchone() == (
        True,
    )


@pytest.mark.parametrize("revision", ["0005", "0006"])
def test_a_migration_killed_while_it_builds_an_index_resumes(
    host: Connection[Any], empty_dsn: str, wait_until_blocked: Callable[..., None], revision: str
) -> None:
    below = f"{int(revision) - 1:04}"
    migrate.upgrade(empty_dsn, below)
    with psycopg.connect(empty_dsn) as writer, ThreadPoolExecutor(1) as pool:
        writer.execute(
            "lock table backfill, dag_run in row exclusive mode"
        )  # an open transaction, for which the build waits
        outcome = pool.submit(migrate.upgrade, empty_dsn)
        builder = None
        while builder is None:
            row = host.execute(
                "select pid from pg_stat_activity where query like 'create%index concurrently%' and pid <> pg_backend_pid() and datname = current_database()"
            ).fetchone()
            builder = row and row[0]
        wait_until_blocked(host, builder)
        host.execute("select pg_terminate_backend(%s)", [builder])
        assert outcome.exception() is not None
        writer.rollback()
    assert migrate.current(empty_dsn) == below
    invalid = host.execute("select count(*) from pg_index where not indisvalid").fetchone()
    assert invalid is not None
    assert invalid[0] >= 1, "the build was not under way"
    migrate.upgrade(empty_dsn)
    assert host.execute("select count(*) from pg_index where not indisvalid").fetchone() == (0,)
    assert migrate.current(empty_dsn) == migrate.heads()


def test_a_lock_that_is_not_free_ends_the_step_and_nobody_is_kept_waiting(
    host: Connection[Any], empty_dsn: str
) -> None:
    with psycopg.connect(empty_dsn) as writer:
        writer.execute("lock table backfill in row exclusive mode")
        with pytest.raises(sqlalchemy.exc.DBAPIError) as error:
            migrate.upgrade(empty_dsn, lock_timeout="50ms")
        assert sqlstate(error) == "55P03"
        assert migrate.current(empty_dsn) == "0002"
    migrate.upgrade(empty_dsn)
    assert migrate.current(empty_dsn) == migrate.heads()


def test_the_build_of_an_index_lets_writers_go_on(
    host: Connection[Any], empty_dsn: str, wait_until_blocked: Callable[..., None]
) -> None:
    migrate.upgrade(empty_dsn, "0004")
    with psycopg.connect(empty_dsn) as old, ThreadPoolExecutor(1) as pool:
        old.execute("lock table backfill in row exclusive mode")
        outcome = pool.submit(migrate.upgrade, empty_dsn, "0005")
        builder = None
        while builder is None:
            row = host.execute(
                "select pid from pg_stat_activity where query like 'create%index concurrently%' and pid <> pg_backend_pid() and datname = current_database()"
            ).fetchone()
            builder = row and row[0]
        wait_until_blocked(host, builder)
        host.execute("set lock_timeout = '1ms'")
        add_backfill(host, "d")
        host.execute("update backfill set completed_at = now()")
        old.rollback()
        assert outcome.exception() is None


def test_two_migrations_at_once_do_not_meet(host: Connection[Any], empty_dsn: str) -> None:
    with psycopg.connect(empty_dsn) as other:
        other.execute("select pg_advisory_lock(hashtext('pgbackfill'), hashtext('migrate'))")
        with pytest.raises(migrate.MigrationInProgress):
            migrate.upgrade(empty_dsn)
    assert migrate.current(empty_dsn) is None


def test_half_an_airflow_is_refused(empty_dsn: str) -> None:
    with psycopg.connect(empty_dsn, autocommit=True) as conn:
        conn.execute("create table dag_run (id int)")
        before = catalog_snapshot(conn)
        with pytest.raises(sqlalchemy.exc.DBAPIError, match="missing"):
            migrate.upgrade(empty_dsn)
        assert catalog_snapshot(conn) == before


def test_removing_refuses_to_drop_rows_of_tables_it_made(dsn: str, conn: Connection[Any]) -> None:
    register(conn)
    create(conn)
    before = catalog_snapshot(conn)
    with pytest.raises(sqlalchemy.exc.DBAPIError, match="has rows"):
        migrate.downgrade(dsn)
    assert conn.execute("select count(*) from dag_run").fetchone() == (3,)
    assert catalog_snapshot(conn) == before, "it is refused before anything is removed"
    migrate.downgrade(dsn, drop_data=True)
    assert conn.execute("select to_regclass('public.dag_run')").fetchone() == (None,)


def test_removing_from_airflows_database_leaves_its_rows(host: Connection[Any], empty_dsn: str) -> None:
    backfill_id = add_backfill(host, "a", slots=2)
    before = catalog_snapshot(host), host.execute("select * from backfill").fetchall()
    migrate.upgrade(empty_dsn)
    migrate.downgrade(empty_dsn)
    assert (catalog_snapshot(host), host.execute("select * from backfill").fetchall()) == before
    assert host.execute("select count(*) from backfill_dag_run where backfill_id = %s", [backfill_id]).fetchone() == (
        2,
    )


def test_another_schema(empty_dsn: str) -> None:
    name = 'air"flow'
    quoted = '"air""flow"'
    with psycopg.connect(empty_dsn, autocommit=True) as conn:
        conn.execute(f"create schema {quoted}")
        migrate.upgrade(empty_dsn, host_schema=name)
        assert conn.execute("select count(*) from pg_tables where schemaname = 'public'").fetchone() == (0,)
        register(conn)
        backfill_id = create(conn)
        assert len(conn.execute("select from pgbackfill.start_queued_dag_runs()").fetchall()) == 3
        assert conn.execute(f"select count(*) from {quoted}.dag_run where state = 'running'").fetchone() == (3,)
        assert conn.execute("select status from pgbackfill.cancel_backfill(%s)", [backfill_id]).fetchone() == (
            "cancelled",
        )
        migrate.downgrade(empty_dsn, host_schema=name, drop_data=True)
        assert catalog_snapshot(conn, host_schema=name).keys() == {("schema", name)}


def test_a_backfill_created_while_the_migration_ran_is_initialized_too(host: Connection[Any], empty_dsn: str) -> None:
    migrate.upgrade(empty_dsn, "0007")  # the column is filled, the guard is not there yet
    backfill_id = add_backfill(host, "late", slots=2)
    migrate.upgrade(empty_dsn)
    assert host.execute("select initialized_at = created_at from backfill where id = %s", [backfill_id]).fetchone() == (
        True,
    )


def test_printed_removal_refuses_to_drop_rows_too(dsn: str, conn: Connection[Any], psql: Callable[..., str]) -> None:
    register(conn)
    before = catalog_snapshot(conn)
    down = io.StringIO()
    migrate.downgrade(revision="head:base", sql=True, output=down)
    with pytest.raises(PsqlError, match="has rows"):
        psql(down.getvalue(), dsn=dsn)
    assert catalog_snapshot(conn) == before


def test_only_the_owner_of_airflows_tables_may_migrate(host: Connection[Any], empty_dsn: str) -> None:
    role = f"airflow_{host.info.backend_pid}"
    host.execute(f"create role {role}")
    try:
        host.execute(f"alter table backfill owner to {role}")
        with pytest.raises(sqlalchemy.exc.DBAPIError, match=f"belong to {role}") as error:
            migrate.upgrade(empty_dsn)
        assert sqlstate(error) == "42501"
        assert host.execute("select to_regnamespace('pgbackfill')").fetchone() == (None,)
    finally:
        host.execute(f"reassign owned by {role} to current_user")
        host.execute(f"drop owned by {role}")
        host.execute(f"drop role {role}")


def test_an_owner_that_is_no_superuser_migrates_works_and_removes(
    admin: Connection[Any], host: Connection[Any], empty_dsn: str
) -> None:
    role = f"airflow_{host.info.backend_pid}"
    database = host.info.dbname
    host.execute(f"create role {role}")
    try:
        for (table,) in host.execute("select tablename from pg_tables where schemaname = 'public'").fetchall():
            host.execute(f"alter table {table} owner to {role}")
        host.execute(f'grant create on database "{database}" to {role}')
        host.execute("revoke create on schema public from public")  # which had it before PostgreSQL 15
        as_role = f"{empty_dsn} options='-c role={role}'"
        with pytest.raises(sqlalchemy.exc.DBAPIError, match="may not create"):
            migrate.upgrade(as_role)
        host.execute(f"grant create on schema public to {role}")
        migrate.upgrade(as_role)
        migrate.downgrade(as_role)
        assert host.execute("select to_regnamespace('pgbackfill')").fetchone() == (None,)
    finally:
        host.execute(f"reassign owned by {role} to current_user")
        host.execute(f"drop owned by {role}")
        admin.execute(f"drop role {role}")


def test_tables_in_another_schema_are_noticed(empty_dsn: str) -> None:
    with psycopg.connect(empty_dsn, autocommit=True) as conn:
        conn.execute("create schema airflow")
        conn.execute("create table airflow.backfill (id int)")
        conn.execute("create table airflow.dag_run (id int)")
        with pytest.raises(sqlalchemy.exc.DBAPIError, match='schema "airflow"'):
            migrate.upgrade(empty_dsn)
        assert conn.execute("select count(*) from pg_tables where schemaname = 'public'").fetchone() == (0,)


def test_it_can_be_removed_after_airflow_dropped_its_tables(host: Connection[Any], empty_dsn: str) -> None:
    migrate.upgrade(empty_dsn)
    host.execute("drop table backfill_dag_run, backfill cascade")  # airflow db reset
    migrate.downgrade(empty_dsn)
    assert host.execute("select to_regnamespace('pgbackfill')").fetchone() == (None,)


def test_no_revision_holds_two_of_airflows_tables(host: Connection[Any], empty_dsn: str) -> None:
    """Airflow's own deletes lock them in either order; whoever holds two would deadlock with one of those."""
    with psycopg.connect(empty_dsn) as writer, ThreadPoolExecutor(1) as pool:
        migrate.upgrade(empty_dsn, "0009")
        writer.execute("delete from backfill")
        outcome = pool.submit(migrate.upgrade, empty_dsn, lock_timeout="20s")
        pid = None
        while pid is None:
            row = host.execute(
                "select pid from pg_locks where not granted and relation = 'backfill'::regclass"
            ).fetchone()
            pid = row and row[0]
        held = host.execute(
            "select count(*) from pg_locks where granted and pid = %s and mode <> 'AccessShareLock' "
            "and relation in ('backfill_dag_run'::regclass, 'dag_run'::regclass)",
            [pid],
        ).fetchone()
        assert held == (0,)
        writer.rollback()
        assert outcome.exception() is None
