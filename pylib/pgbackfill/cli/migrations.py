"""`migrate`, `status` and `uninstall`: what a DBA does."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click
import psycopg
from psycopg.rows import dict_row
from rich.console import Console
from rich.text import Text

from pgbackfill.cli import render
from pgbackfill.cli.base import Command, connect, dsn, lock_timeout_option, schema_option, wants_json
from pgbackfill.cli.host import describe_host, exists, find_host, refuse_wrong_schema
from pgbackfill.cli.problems import MISUSED, REFUSED, Problem, Stop
from pgbackfill.resources import INDEXES, functions, views
from pgbackfill.resources import triggers as guard_triggers

# The newest revision below the guard's triggers and their functions.
BELOW_THE_GUARD = "0007"
BELOW_THE_FUNCTIONS = "0006"
BELOW_THE_COLUMN = "0002"


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
        found = _look(conn, schema, before)
    host = found["host"]
    if found["column"]["state"] == "missing":
        raise Stop(
            Problem(f"the tables in schema {schema} are not those that were migrated", _start_over(host), REFUSED)
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
        found = _look(conn, schema)
    for index in found["indexes"]:
        if index["state"] != "valid":
            raise Stop(
                Problem(f"the index {index['name']} is {index['state']}", _rebuild(index["name"], schema), REFUSED)
            )
    return not found["sound"]


def _start_over(host: dict[str, Any]) -> str:
    """What helps when `backfill` is there no more, or without its column."""
    if host["kind"] == "airflow":  # as after `airflow db reset`: what pgbackfill remembers is not of these tables
        return "They were made anew: pgbackfill uninstall, then pgbackfill migrate, and grant again."
    if host["kind"] == "empty":
        return (
            "They are gone: pgbackfill uninstall. With an Airflow, airflow db migrate; "
            "then pgbackfill migrate, and grant again."
        )
    return (
        f"backfill lost its column: go below it and come back (alembic: downgrade {BELOW_THE_COLUMN}, upgrade head),"
        " and grant again what was granted on functions and views."
    )


def _refuse_missing_functions(schema: str) -> None:
    """Stop when functions or views are gone that do not belong to the guard: new ones would have no grants."""
    with connect() as conn:
        found = _look(conn, schema)
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
Exit status: 0 up to date and sound, 1 not.

\b
Example:
  pgbackfill status || pgbackfill migrate
""",
)
@schema_option
@click.pass_context
def status(ctx: click.Context, schema: str) -> None:
    """Show what is installed in a database.

    The server, whose tables are there, the revision, the indexes, the triggers of the guard, the active backfills.
    """
    from pgbackfill import migrate as migrations

    revision = migrations.current(dsn())
    with render.Busy("looking"), connect() as conn:
        refuse_wrong_schema(conn, schema)
        found = _look(conn, schema, revision)
    head = migrations.heads()
    found["revision"] = revision
    found["head"] = head
    behind = found["revision"] != head
    found["up_to_date"] = not behind and found["sound"]
    if wants_json():
        render.print_json(found)
    else:
        _show_status(found, _pending(found["revision"], migrations.revisions()))
    ctx.exit(0 if found["up_to_date"] else REFUSED)


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


def _look(conn: psycopg.Connection, schema: str, revision: str | None = None) -> dict[str, Any]:
    """What is there. The column is `expected` where it is not and the revision is below the one that adds it."""
    with conn.cursor(row_factory=dict_row) as cursor:
        server = cursor.execute(
            "select current_database() as database, session_user as user, current_setting('server_version') as version"
        ).fetchone()
        indexes = cursor.execute(
            """
            select
              n.name,
              case when i.indexrelid is null then 'missing' when i.indisvalid then 'valid' else 'invalid' end as state
            from unnest(%s::text[]) with ordinality as n(name, position)
            left join pg_class c on c.relname = n.name and c.relnamespace = to_regnamespace(quote_ident(%s))
            left join pg_index i on i.indexrelid = c.oid
            order by n.position
            """,
            [list(INDEXES), schema],
        ).fetchall()
        has_column = cursor.execute(
            """
            select exists (
              select from pg_attribute a join pg_class c on c.oid = a.attrelid
              where c.relnamespace = to_regnamespace(quote_ident(%s)) and c.relname = 'backfill'
                and a.attname = 'initialized_at' and not a.attisdropped
            ) as has_column
            """,
            [schema],
        ).fetchone()
        triggers = cursor.execute(
            """
            select
              n.name,
              case
                when t.oid is null then 'missing' when t.tgenabled in ('O', 'A') then 'enabled' else 'disabled'
              end as state
            from unnest(%s::text[]) with ordinality as n(name, position)
            left join (
              pg_trigger t join pg_class c on c.oid = t.tgrelid and c.relnamespace = to_regnamespace(quote_ident(%s))
            ) on t.tgname = n.name
            order by n.position
            """,
            [guard_triggers(), schema],
        ).fetchall()
        installed = cursor.execute(
            """
            select
              n.name,
              case
                when n.signatures > (
                  select count(*) from pg_proc p
                  where p.pronamespace = to_regnamespace('pgbackfill') and p.proname = n.name
                ) then 'missing'
                else 'installed'
              end as state
            from unnest(%s::text[], %s::integer[]) as n(name, signatures)
            union all
            select v.name, case when to_regclass('pgbackfill.' || v.name) is null then 'missing' else 'installed' end
            from unnest(%s::text[]) as v(name)
            order by 1
            """,
            [list(functions().keys()), list(functions().values()), views()],
        ).fetchall()
        column = {"name": "initialized_at", "state": "installed"}
        if has_column != {"has_column": True}:
            column["state"] = "missing" if (revision or "") > BELOW_THE_COLUMN else "not yet"
        parts = [column, *indexes, *triggers, *installed]
        sound = all(part["state"] in ("valid", "enabled", "installed") for part in parts)
        active: dict[str, int] | None = {}
        if exists(conn, "pgbackfill", "active_backfills"):
            try:
                with conn.transaction():  # what fails in it is undone alone
                    cursor.execute(
                        "select b.status, count(*) as backfills from pgbackfill.active_backfills b group by b.status"
                    )
                active = {row["status"]: row["backfills"] for row in cursor}
            except (
                psycopg.errors.UndefinedTable,
                psycopg.errors.UndefinedColumn,
                psycopg.errors.InsufficientPrivilege,  # the right to read every table is not one to execute
            ):
                active = None
    return {
        "server": {**(server or {}), "host": conn.info.host, "port": conn.info.port},
        "host": find_host(conn, schema),
        "column": column,
        "indexes": indexes,
        "triggers": triggers,
        "functions_and_views": installed,
        "sound": sound,
        "active_backfills": active,
    }


def _pending(revision: str | None, revisions: list[str]) -> int:
    return len(revisions) - (revisions.index(revision) + 1 if revision in revisions else 0)


def _show_status(found: dict[str, Any], pending: int) -> None:
    server, host = found["server"], found["host"]
    render.print_facts(
        [
            ("server", f"PostgreSQL {server['version']} at {server['host']}:{server['port']}"),
            ("database", f"{server['database']}, as {server['user']}"),
            ("tables", describe_host(host)),
            ("revision", _describe_revision(found, pending)),
            ("column", _describe_column(found["column"])),
            ("indexes", _describe_parts(found["indexes"], "valid")),
            ("guard", _describe_parts(found["triggers"], "enabled")),
            ("functions", _describe_parts(found["functions_and_views"], "installed")),
            ("active", _describe_active(found["active_backfills"])),
        ]
    )
    if found["column"]["state"] == "missing":
        hint = _start_over(found["host"])
    elif pending:
        hint = "pgbackfill migrate"
    elif not found["sound"]:
        hint = "parts are missing or disabled: pgbackfill migrate"
    else:
        return
    Console(stderr=True, highlight=False).print(Text.assemble(("hint: ", "bold cyan"), hint), soft_wrap=True)


def _describe_column(column: dict[str, str]) -> Text:
    if column["state"] == "not yet":
        return Text("none", "yellow")
    return Text(f"{column['name']} is {column['state']}", "green" if column["state"] == "installed" else "red")


def _describe_active(active: dict[str, int] | None) -> str:
    if active is None:
        return "unknown"
    return ", ".join(f"{n} {s}" for s, n in active.items()) or "no backfill"


def _describe_revision(found: dict[str, Any], pending: int) -> Text:
    if found["revision"] is None:
        return Text("not installed", "yellow")
    if found["revision"] == found["head"]:
        return Text.assemble(f"{found['revision']}, ", ("up to date", "green"))
    return Text.assemble(
        f"{found['revision']}, ", (f"{render.count(pending, 'step')} behind {found['head']}", "yellow")
    )


def _describe_parts(parts: list[dict[str, str]], sound: str) -> Text:
    wrong = [p for p in parts if p["state"] != sound]
    if not wrong:
        return Text(f"{len(parts)} {sound}", "green")
    if all(p["state"] == "missing" for p in parts):
        return Text("none", "yellow")
    return Text(", ".join(f"{p['name']} is {p['state']}" for p in wrong), "red")
