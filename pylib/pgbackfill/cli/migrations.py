"""`migrate` and `uninstall`: what a DBA does."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click
from rich.text import Text

from pgbackfill.cli import render
from pgbackfill.cli.base import Command, connect, dsn, lock_timeout_option, schema_option, wants_json
from pgbackfill.cli.host import describe_host, find_host, refuse_wrong_schema
from pgbackfill.cli.installation import how_to_start_over, look
from pgbackfill.cli.problems import MISUSED, REFUSED, Problem, Stop
from pgbackfill.resources import INDEXES

# The newest revision below the guard's triggers and their functions.
BELOW_THE_GUARD = "0007"
BELOW_THE_FUNCTIONS = "0006"


def _migration_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        lock_timeout_option,
        schema_option,
        click.option("--sql", "as_sql", is_flag=True, help="Print the SQL for review, and touch no database."),
    ):
        command = option(command)
    return command


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  pgbackfill migrate --sql > review.sql     every statement, to read or to run with psql
  pgbackfill migrate                        apply what is missing
  pgbackfill migrate --schema airflow       Airflow's tables are not in public
""",
)
@_migration_options
@click.option("--revision", default="head", show_default=True, help="Go up to this revision only.")
def migrate(revision: str, as_sql: bool, schema: str, lock_timeout: str) -> None:
    """Install pgbackfill in a database, or bring it up to date.

    On the database of an Airflow it adds a column, indexes, functions and views. Where there is no Airflow it makes
    tables of the same shape first. It can be run again at any time; a failed step leaves those before it applied.
    """
    from pgbackfill import migrate as migrations

    if as_sql:
        migrations.upgrade(dsn(), revision, sql=True, host_schema=schema, lock_timeout=lock_timeout, output=sys.stdout)
        return
    if ":" in revision:
        raise Stop(Problem("a range of revisions can only be printed", "Say --sql, or one revision.", MISUSED))
    before = migrations.current(dsn())
    with connect() as conn:
        refuse_wrong_schema(conn, schema)
        found = look(conn, schema, before)
    host = found["host"]
    if found["column"]["state"] == "missing":
        raise Stop(
            Problem(f"the tables in schema {schema} are not those that were migrated", how_to_start_over(host), REFUSED)
        )
    if not wants_json():
        render.out().print(Text(_introduce(host), "dim"))
    with _narrated() as applied:
        migrations.upgrade(dsn(), revision, host_schema=schema, lock_timeout=lock_timeout)
    if migrations.current(dsn()) == migrations.heads() and _is_damaged(schema):
        # Nothing is lost: events, idempotency keys, policies and grants belong to older revisions than the guard.
        with render.Busy("taking away what is left of the guard"):
            migrations.downgrade(dsn(), BELOW_THE_GUARD, host_schema=schema, lock_timeout=lock_timeout)
        with _narrated() as installed_again:
            migrations.upgrade(dsn(), host_schema=schema, lock_timeout=lock_timeout)
        applied = [*applied, *installed_again]
        _refuse_missing_functions(schema)
    after = migrations.current(dsn())
    if wants_json():
        with connect() as conn:
            host = find_host(conn, schema)
        render.print_json({"revision_before": before, "revision": after, "applied": applied, "host": host})
    elif applied:
        render.out().print(
            Text.assemble(("up to date", "green") if after == migrations.heads() else "done", f" at {after}")
        )
    else:
        render.out().print(f"nothing to do: the database is at {after}")


def _introduce(host: dict[str, Any]) -> str:
    if host["kind"] == "empty":
        return f"no Airflow in schema {host['schema']}: tables of its shape are made"
    return f"tables: {describe_host(host)}"


def _is_damaged(schema: str) -> bool:
    """Whether something is gone or disabled. Stops when it is an index, whose build needs a plan."""
    with connect() as conn:
        found = look(conn, schema)
    for index in found["indexes"]:
        if index["state"] != "valid":
            raise Stop(
                Problem(f"the index {index['name']} is {index['state']}", _rebuild(index["name"], schema), REFUSED)
            )
    return not found["sound"]


def _refuse_missing_functions(schema: str) -> None:
    """Stop when functions or views are gone that do not belong to the guard: new ones would have no grants."""
    with connect() as conn:
        found = look(conn, schema)
    if missing := [part["name"] for part in found["functions_and_views"] if part["state"] == "missing"]:
        raise Stop(
            Problem(
                f"of the functions and views {', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing",
                f"Go below them and come back (alembic: downgrade {BELOW_THE_FUNCTIONS}, upgrade head), "
                "then grant again what was granted on functions and views.",
                REFUSED,
            )
        )


def _rebuild(index: str, schema: str) -> str:
    name = schema if schema == schema.lower() else f'"{schema}"'
    return f"drop index concurrently if exists {name}.{index}; {INDEXES[index].format(index)};".replace(
        "public.", f"{name}."
    )


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  pgbackfill uninstall --sql          what would be done
  pgbackfill uninstall --yes          no question asked
  pgbackfill uninstall --drop-data    also where pgbackfill made the tables and they hold rows
""",
)
@_migration_options
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option(
    "--drop-data",
    is_flag=True,
    help="Where there was no Airflow: drop the tables that migrate made, with their rows. Airflow's own always stay.",
)
def uninstall(yes: bool, drop_data: bool, as_sql: bool, schema: str, lock_timeout: str) -> None:
    """Remove pgbackfill from a database.

    The downgrade to base: Airflow's tables are as they were before pgbackfill came.
    """
    from pgbackfill import migrate as migrations

    options: dict[str, Any] = {"host_schema": schema, "lock_timeout": lock_timeout, "drop_data": drop_data}
    if as_sql:
        migrations.downgrade(dsn(), f"{migrations.heads()}:base", sql=True, output=sys.stdout, **options)
        return
    before = migrations.current(dsn())
    with connect() as conn:
        refuse_wrong_schema(conn, schema)
        # A removal that was stopped in its last moment leaves the schema alone.
        is_there = conn.execute("select to_regnamespace('pgbackfill') is not null").fetchone() == (True,)
    if before and not yes:
        _ask_to_uninstall(before, drop_data)
    with _narrated() as removed:
        if is_there:
            migrations.downgrade(dsn(), "base", **options)
    if wants_json():
        render.print_json({"revision_before": before, "revision": None, "removed": removed})
    else:
        render.out().print("pgbackfill is removed" if is_there else "nothing to do: pgbackfill is not installed")


def _ask_to_uninstall(revision: str, drop_data: bool) -> None:
    if not sys.stdin.isatty():
        raise Stop(Problem("removing pgbackfill needs a confirmation", "Say --yes.", MISUSED))
    with connect() as conn:
        where = f"database {conn.info.dbname} at {conn.info.host}"
    what = "pgbackfill and the tables that it made, with all rows," if drop_data else "pgbackfill"
    click.confirm(f"Remove {what} (revision {revision}) from {where}?", abort=True, err=True)


@contextmanager
def _narrated() -> Iterator[list[str]]:
    """Say which revision is being run and how long each took; yields their ids."""
    narrator = _Narrator(render.Busy("migrating"), quiet=wants_json())
    logger = logging.getLogger("alembic.runtime.migration")
    level, propagate = logger.level, logger.propagate
    logger.addHandler(narrator)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        with narrator.busy:
            yield narrator.revisions
            narrator.end_step()
    finally:
        logger.removeHandler(narrator)
        logger.setLevel(level)
        logger.propagate = propagate


class _Narrator(logging.Handler):
    """Listens to Alembic, which logs each step before it runs it."""

    def __init__(self, busy: render.Busy, *, quiet: bool) -> None:
        super().__init__()
        self.busy = busy
        self.quiet = quiet
        self.revisions: list[str] = []
        self._purpose = ""
        self._started = 0.0

    def emit(self, record: logging.LogRecord) -> None:
        step = record.args[0] if isinstance(record.args, tuple) and record.args else None
        revision = getattr(step, "revision", None)
        if revision is None:
            return
        self.end_step()
        self.revisions.append(revision.revision)
        # The first line of a revision's docstring says what it is, and after a colon more about it.
        self._purpose = revision.doc.splitlines()[0].partition(": ")[0].removesuffix(".")
        self._started = time.monotonic()
        self.busy.now(f"{revision.revision}  {self._purpose}")

    def end_step(self) -> None:
        """Say how long the step that was running took."""
        if self._purpose and not self.quiet:
            took = f"  {time.monotonic() - self._started:6.2f} s  "
            self.busy.print(Text.assemble((self.revisions[-1], "bold"), (took, "dim"), self._purpose))
        self._purpose = ""
