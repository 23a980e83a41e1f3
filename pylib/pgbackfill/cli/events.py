"""`events`: what happened to backfills, and what happens."""

from __future__ import annotations

import json
from collections import deque
from itertools import chain

import click
from rich.text import Text

import pgbackfill
from pgbackfill.cli import render
from pgbackfill.cli.base import Command, connect, conninfo, wants_json
from pgbackfill.cli.render import Column
from pgbackfill.models import Event

_EVENTS = (
    Column("ID", "right"),
    Column("AT"),
    Column("BACKFILL", "right"),
    Column("DAG"),
    Column("EVENT", is_word=True),
    Column("DETAIL"),
)


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  pgbackfill events --dag-id sales
  pgbackfill events --follow                      what happens from now on, too, until Ctrl-C
  pgbackfill events --follow --after 815 --json   everything after event 815, one JSON object a line
""",
)
@click.option("--follow", is_flag=True, help="Wait for more, until Ctrl-C (exit status 130).")
@click.option("--backfill-id", type=int, metavar="ID", help="Of this backfill only.")
@click.option("--dag-id", help="Of this DAG only.")
@click.option("--after", type=click.IntRange(min=0), metavar="ID", help="All those after the event of this id.")
@click.option(
    "--limit", type=click.IntRange(min=0), help="At most so many, the newest.  [default: 100, or all --after]"
)
def events(follow: bool, backfill_id: int | None, dag_id: str | None, after: int | None, limit: int | None) -> None:
    """Show what happened to backfills, whoever did it, oldest first.

    --json prints one JSON object a line. An event is shown once every transaction that was writing one before it has
    ended, so none is missed and none comes out of order; --follow makes a connection that is lost again.
    """
    if limit is None and after is None:
        limit = 100
    newest: deque[Event] = deque(maxlen=limit)
    seen = after
    with render.Busy("looking"), connect(autocommit=True) as conn:
        for event in pgbackfill.events(conn, backfill_id=backfill_id, dag_id=dag_id, after=after, timeout=0):
            newest.append(event)
            seen = event.id
    if not follow:
        _show(list(newest))
        return
    for event in chain(newest, pgbackfill.events(conninfo(), backfill_id=backfill_id, dag_id=dag_id, after=seen)):
        _print_line(event)


def _show(found: list[Event]) -> None:
    if wants_json():
        for event in found:
            _print_line(event)
    elif found:
        rows = [(e.id, e.occurred_at, e.backfill_id, e.dag_id, e.event, _detail(e)) for e in found]
        render.print_table(_EVENTS, rows)
    else:
        render.out().print("no events")


def _print_line(event: Event) -> None:
    if wants_json():
        render.print_json_line(event)
        return
    line = Text.assemble(
        (f"{event.id}", "dim"),
        f"  {render.date(event.occurred_at)}  backfill {event.backfill_id} of {event.dag_id}: ",
        render.word(event.event),
    )
    if detail := _detail(event):
        line.append(f"  {detail}", "dim")
    render.out().print(line)


def _detail(event: Event) -> str:
    return ", ".join(
        f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in event.detail.items()
    )
