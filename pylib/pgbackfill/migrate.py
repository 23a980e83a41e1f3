"""Apply and remove pgbackfill's revisions from Python: what `pgbackfill migrate` and `uninstall` call."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TextIO

import sqlalchemy
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.engine import Connection, create_engine
from sqlalchemy.pool import NullPool

from pgbackfill.resources import migrations_dir

OPTIONS_ATTRIBUTE = "pgbackfill"
OWN_TABLES = "0002"
_VERSION_TABLE = {"version_table": "alembic_version", "version_table_schema": "pgbackfill"}


class MigrationInProgress(Exception):
    """Another session is migrating this database; nothing was changed."""

    def __init__(self) -> None:
        super().__init__("another session is migrating this database; nothing was changed")


@dataclass(frozen=True)
class MigrationOptions:
    """Where and how revisions run.

    dsn: libpq conninfo or URI; empty means libpq's own variables.
    host_schema: the schema of Airflow's tables (Airflow's `sql_alchemy_schema`).
    lock_timeout: how long one step waits for a lock (a PostgreSQL duration) before it gives up, changing nothing.
    drop_data: a downgrade to base may drop Airflow-shaped tables that pgbackfill itself made and that hold rows.
    refuse_duplicates: several active backfills of one DAG stop an upgrade at its start, and not only where the index
      that forbids them is built.
    """

    dsn: str = ""
    host_schema: str = "public"
    lock_timeout: str = "5s"
    drop_data: bool = False
    refuse_duplicates: bool = True


@contextmanager
def connect(dsn: str) -> Iterator[Connection]:
    """A SQLAlchemy connection to `dsn`, closed at the end; psycopg 3, or psycopg2 under SQLAlchemy 1.4."""
    if sqlalchemy.__version__.startswith("1."):
        import psycopg2

        engine = create_engine("postgresql+psycopg2://", creator=lambda: psycopg2.connect(dsn), poolclass=NullPool)
    else:
        import psycopg

        engine = create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(dsn), poolclass=NullPool)
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


def _config(options: MigrationOptions, output: TextIO | None = None) -> Config:
    config = Config(output_buffer=output) if output is not None else Config()
    config.set_main_option("script_location", str(migrations_dir()).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes[OPTIONS_ATTRIBUTE] = options
    return config


def upgrade(
    dsn: str = "",
    revision: str = "head",
    *,
    sql: bool = False,
    host_schema: str = "public",
    lock_timeout: str = "5s",
    output: TextIO | None = None,
) -> None:
    """Apply the revisions up to `revision`; with `sql`, print them to `output` (default stdout) and touch nothing."""
    options = MigrationOptions(dsn=dsn, host_schema=host_schema, lock_timeout=lock_timeout)
    command.upgrade(_config(options, output), revision, sql=sql)


def make_own_tables(dsn: str = "", *, host_schema: str = "public", lock_timeout: str = "5s") -> None:
    """Apply the first revisions, which bring `pgbackfill.event` and change nothing of Airflow's.

    For repairs that come before the migration: what they change is recorded there.
    """
    options = MigrationOptions(dsn, host_schema, lock_timeout, refuse_duplicates=False)
    command.upgrade(_config(options), OWN_TABLES)


def downgrade(
    dsn: str = "",
    revision: str = "base",
    *,
    sql: bool = False,
    host_schema: str = "public",
    lock_timeout: str = "5s",
    drop_data: bool = False,
    output: TextIO | None = None,
) -> None:
    """Undo the revisions down to `revision`; with `sql`, `revision` is `from:to` and the statements are printed."""
    options = MigrationOptions(dsn=dsn, host_schema=host_schema, lock_timeout=lock_timeout, drop_data=drop_data)
    command.downgrade(_config(options, output), revision, sql=sql)


def current(dsn: str = "") -> str | None:
    """The revision that the database is at; None where pgbackfill is not installed."""
    with connect(dsn) as connection:
        return MigrationContext.configure(connection, opts=_VERSION_TABLE).get_current_revision()


def heads() -> str:
    """The newest revision that this package brings."""
    head = ScriptDirectory.from_config(_config(MigrationOptions())).get_current_head()
    assert head is not None
    return head


def revisions() -> list[str]:
    """All revisions that this package brings, oldest first."""
    return [r.revision for r in ScriptDirectory.from_config(_config(MigrationOptions())).walk_revisions()][::-1]
