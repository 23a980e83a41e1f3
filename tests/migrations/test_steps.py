"""Every revision up, down and up again; printed SQL equals the real thing; nothing is left behind."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from pgbackfill import migrate
from psycopg import Connection
from support.snapshot import catalog_snapshot

REVISIONS = migrate.revisions()


@pytest.fixture
def database(empty_dsn: str) -> Iterator[Connection[Any]]:
    with psycopg.connect(empty_dsn, autocommit=True) as connection:
        yield connection


def schemas(conn: Connection[Any]) -> set[str]:
    rows = conn.execute(
        "select nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'"
    ).fetchall()
    return {name for (name,) in rows}


def test_every_revision_up_down_up(database: Connection[Any], empty_dsn: str) -> None:
    snapshots = [catalog_snapshot(database)]
    for revision in REVISIONS:
        migrate.upgrade(empty_dsn, revision)
        snapshots.append(catalog_snapshot(database))
    for number, revision in reversed(list(enumerate(REVISIONS, start=1))):
        below = REVISIONS[number - 2] if number > 1 else "base"
        migrate.downgrade(empty_dsn, below)
        assert catalog_snapshot(database) == snapshots[number - 1], f"down from {revision}"
        migrate.upgrade(empty_dsn, revision)
        assert catalog_snapshot(database) == snapshots[number], f"up to {revision} again"
        migrate.downgrade(empty_dsn, below)
    assert schemas(database) == {"public"}


def test_printed_sql_gives_the_same_catalog_and_takes_it_away_again(
    database: Connection[Any], empty_dsn: str, dsn: str, psql: Callable[..., str]
) -> None:
    up, down = io.StringIO(), io.StringIO()
    migrate.upgrade(sql=True, output=up)
    migrate.downgrade(revision="head:base", sql=True, output=down)
    before = catalog_snapshot(database)

    psql(up.getvalue(), dsn=empty_dsn)
    with psycopg.connect(dsn) as online:
        assert catalog_snapshot(database) == catalog_snapshot(online)
    assert migrate.current(empty_dsn) == migrate.heads()

    psql(down.getvalue(), dsn=empty_dsn)
    assert catalog_snapshot(database) == before
    assert schemas(database) == {"public"}


@pytest.mark.parametrize("revision", REVISIONS)
def test_each_step_of_the_printed_sql_can_be_taken_alone(
    database: Connection[Any], empty_dsn: str, psql: Callable[..., str], revision: str
) -> None:
    migrate.upgrade(empty_dsn, revision)
    rest = io.StringIO()
    if revision != migrate.heads():
        migrate.upgrade(revision=f"{revision}:head", sql=True, output=rest)
        psql(rest.getvalue(), dsn=empty_dsn)
    migrate.downgrade(empty_dsn)
    assert schemas(database) == {"public"}


def test_the_version_table_is_our_own(database: Connection[Any], empty_dsn: str) -> None:
    database.execute("create table alembic_version (version_num varchar(32) primary key)")
    database.execute("insert into alembic_version values ('airflows own')")
    migrate.upgrade(empty_dsn)
    migrate.downgrade(empty_dsn)
    assert database.execute("select * from alembic_version").fetchall() == [("airflows own",)]


def test_asking_for_the_revision_changes_nothing(database: Connection[Any], empty_dsn: str) -> None:
    assert migrate.current(empty_dsn) is None
    assert schemas(database) == {"public"}


def test_a_foreign_object_in_the_schema_is_not_dropped(database: Connection[Any], empty_dsn: str) -> None:
    migrate.upgrade(empty_dsn)
    database.execute("create table pgbackfill.somebody_elses (x int)")
    with pytest.raises(Exception, match="somebody_elses"):
        migrate.downgrade(empty_dsn)
    database.execute("drop table pgbackfill.somebody_elses")
    migrate.upgrade(empty_dsn)
    migrate.downgrade(empty_dsn)
    assert schemas(database) == {"public"}
