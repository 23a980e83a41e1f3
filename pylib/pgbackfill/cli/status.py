"""`status`: what is installed in a database, and what to do about it."""

from __future__ import annotations

from typing import Any

import click
from rich.console import Console
from rich.text import Text

from pgbackfill.cli import render
from pgbackfill.cli.base import Command, connect, dsn, schema_option, wants_json
from pgbackfill.cli.host import describe_host, refuse_wrong_schema
from pgbackfill.cli.installation import how_to_start_over, look
from pgbackfill.cli.problems import REFUSED


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
        found = look(conn, schema, revision)
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
        hint = how_to_start_over(found["host"])
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
