"""`repair`: mends by hand what a migration leaves to a human's choice."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timezone
from typing import Any

import click
import psycopg
from psycopg.rows import dict_row

from pgbackfill.cli import render
from pgbackfill.cli.base import Command, connect, dsn, lock_timeout_option, schema_option, wants_json
from pgbackfill.cli.host import exists, refuse_wrong_schema
from pgbackfill.cli.problems import MISUSED, Problem, Stop
from pgbackfill.cli.render import Column

_DUPLICATES = (
    Column("DAG"),
    Column("ID", "right"),
    Column("CREATED AT"),
    Column("QUEUED", "right"),
    Column("RUNNING", "right"),
    Column("ACTION", is_word=True),
)


class _Group(click.Group):
    command_class = Command


@click.group(cls=_Group)
def repair() -> None:
    """Mend what stops a migration."""


@repair.command(
    epilog="""\b
Examples:
  pgbackfill repair duplicates --keep oldest          shows them, then asks
  pgbackfill repair duplicates --keep newest --yes    no question asked
""",
)
@click.option(
    "--keep",
    type=click.Choice(["oldest", "newest"]),
    required=True,
    help="Which backfill of each DAG stays active, by its created_at.",
)
@click.option("--yes", is_flag=True, help="Do not ask.")
@schema_option
@lock_timeout_option
def duplicates(keep: str, yes: bool, schema: str, lock_timeout: str) -> None:
    """Close all but one of the active backfills of each DAG.

    For a database whose migration was stopped with PB020. What is closed is cancelled: its queued runs become failed,
    running ones go on, and its slots stay as they are. All in one transaction, each with a row in pgbackfill.event;
    for that, the first steps of `migrate` are taken, which change nothing of Airflow's.
    """
    with connect() as conn:
        refuse_wrong_schema(conn, schema)
        if not exists(conn, schema, "backfill"):
            raise Stop(Problem(f"there are no tables of Airflow in schema {schema}", "pgbackfill migrate"))
        shown = _find(conn, schema, keep)
    closing = [b for b in shown if b["action"] == "close"]
    if not closing:
        if wants_json():
            render.print_json(_document(keep, shown))
        else:
            render.out().print("nothing to repair: no DAG has several active backfills")
        return

    if not wants_json():
        _show(shown)
    if not yes:
        _ask(closing)
    _make_event_table(schema, lock_timeout)
    with render.Busy("waiting for the backfills"), connect() as conn, _patience(conn, lock_timeout):
        _close(conn, schema, keep, shown)
    if wants_json():
        render.print_json(_document(keep, shown))
    else:
        done = f"closed {render.count(len(closing), 'backfill')}, kept {len(shown) - len(closing):,}"
        render.out().print(f"{done}; next: pgbackfill migrate")


def _find(conn: psycopg.Connection, schema: str, keep: str) -> list[dict[str, Any]]:
    """The active backfills of the DAGs that have several, and what happens to each."""
    _set(conn, "pgbackfill.keep", keep)
    with conn.cursor(row_factory=dict_row) as cursor:
        found = cursor.execute(_sql("guard/duplicate_active_backfills", schema)).fetchall()
    return [{**b, "action": "keep" if b["id"] == b["kept_id"] else "close"} for b in found]


def _close(conn: psycopg.Connection, schema: str, keep: str, shown: list[dict[str, Any]]) -> None:
    conn.execute(_sql("guard/lock_duplicate_active_backfills", schema))
    if _what_happens(_find(conn, schema, keep)) != _what_happens(shown):
        raise Stop(
            Problem("the active backfills have changed since they were shown; nothing was done", "Run it again.")
        )
    closing = [{"id": b["id"], "kept": b["kept_id"]} for b in shown if b["action"] == "close"]
    _set(conn, "pgbackfill.closing", json.dumps(closing))
    conn.execute(_sql("guard/close_duplicate_active_backfills", schema))


def _what_happens(backfills: list[dict[str, Any]]) -> dict[int, str]:
    return {b["id"]: b["action"] for b in backfills}


def _make_event_table(schema: str, lock_timeout: str) -> None:
    from pgbackfill import migrate as migrations

    with connect() as conn:
        if exists(conn, "pgbackfill", "event"):
            return
    migrations.make_own_tables(dsn(), host_schema=schema, lock_timeout=lock_timeout)


@contextmanager
def _patience(conn: psycopg.Connection, lock_timeout: str) -> Iterator[None]:
    """Waits no longer than `lock_timeout` for a lock, and says whom for."""
    _set(conn, "lock_timeout", lock_timeout)
    try:
        yield
    except psycopg.errors.LockNotAvailable as exc:
        raise Stop(
            Problem(
                f"a backfill is locked, perhaps while its runs are being written; nothing was done [{exc.sqlstate}]",
                "Try again in a moment, or give it a longer --lock-timeout.",
            )
        ) from exc


def _set(conn: psycopg.Connection, setting: str, value: str) -> None:
    """Set `setting` for this transaction."""
    conn.execute("select set_config(%s, %s, true)", [setting, value])


def _sql(file: str, schema: str) -> bytes:
    from pgbackfill.objects import in_schema, read_sql

    return in_schema(read_sql(file), schema).encode()


def _show(backfills: list[dict[str, Any]]) -> None:
    rows = [
        (b["dag_id"], b["id"], b["created_at"].replace(microsecond=0), b["queued"], b["running"], b["action"])
        for b in _in_utc(backfills)
    ]
    render.print_table(_DUPLICATES, rows)


def _ask(closing: list[dict[str, Any]]) -> None:
    if not sys.stdin.isatty():
        raise Stop(Problem("closing backfills needs a confirmation", "Say --yes.", MISUSED))
    queued = sum(b["queued"] for b in closing)
    what = f"{render.count(len(closing), 'backfill')} and fail {render.count(queued, 'queued run')}"
    click.confirm(f"Close {what}?", abort=True, err=True)


def _document(keep: str, backfills: list[dict[str, Any]]) -> dict[str, Any]:
    by_action: dict[str, list[dict[str, Any]]] = {"close": [], "keep": []}
    for b in _in_utc(backfills):
        by_action[b["action"]].append({k: v for k, v in b.items() if k != "action"})
    return {"keep": keep, "closed": by_action["close"], "kept": by_action["keep"]}


def _in_utc(backfills: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**b, "created_at": b["created_at"].astimezone(timezone.utc)} for b in backfills]
