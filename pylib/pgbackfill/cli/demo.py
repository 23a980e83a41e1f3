"""`demo`: tells the story that `pgbackfill.demo` plays."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import click
import psycopg
from rich.text import Text

from pgbackfill import demo as story
from pgbackfill.cli import render
from pgbackfill.cli.backfills import describe_runs, summarize
from pgbackfill.cli.base import Command, given_dsn, wants_json
from pgbackfill.cli.render import Column
from pgbackfill.cli.watch import progress_bar, update_bar
from pgbackfill.models import BackfillProgress

_SLOTS = (
    Column("#", "right"),
    Column("LOGICAL DATE"),
    Column("IN BERLIN"),
    Column(""),
    Column("ACTION", is_word=True),
)
_PRINTED_STEP = 25


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  pgbackfill demo            some seconds, leaves nothing behind
  pgbackfill demo --keep     the database stays up to try things on, until Ctrl-C
""",
)
@click.option("--keep", is_flag=True, help="Keep the database at the end, to try things on.")
def demo(keep: bool) -> None:
    """See it all work on a database of its own.

    A year of runs on a schedule with daylight saving is created at once and run by four workers.

    Starts a PostgreSQL of its own (needs the extra `embedded`), whatever PGBACKFILL_DSN and libpq's variables say, or
    takes the empty database of --dsn. What it made is removed at the end.
    """
    with ExitStack() as until_the_end:
        at = until_the_end.enter_context(_database())
        _step("Migrate")
        with _timed() as migrated, render.Busy("migrating"):
            until_the_end.enter_context(story.installed(at, keep=keep))
        _say(f"tables, indexes, functions and views are there, in {migrated.seconds:.2f} s")
        told = _tell(at)
        if wants_json():
            render.print_json(told)
            return
        _show_next_steps(at, keep)
        if keep and not given_dsn():
            click.echo("\nThe database is up until Ctrl-C.")
            _wait_for_interrupt()


@contextmanager
def _database() -> Iterator[str]:
    """The database of --dsn, or one on a server that ends with the demo."""
    if given_dsn():
        yield given_dsn()
        return
    from pgbackfill import server

    for name in [n for n in os.environ if n.startswith("PG") and not n.startswith("PGBACKFILL_")]:
        del os.environ[name]  # libpq's variables are about another server

    _step("Start a PostgreSQL of its own")
    with ExitStack() as until_the_end:
        with _timed() as started, render.Busy("starting"):
            at = until_the_end.enter_context(server.running())
        with psycopg.connect(at) as conn:
            version = conn.info.parameter_status("server_version")
        _say(f"PostgreSQL {version}, in {started.seconds:.2f} s")
        yield at


def _tell(at: str) -> dict[str, Any]:
    """Everything from the DAG to the end of its backfill; returns what happened."""
    _step(f"Register a DAG: {story.DAG_ID}, at {story.SCHEDULE!r} in {story.ZONE}")
    story.register(at)
    _say("no task and no Airflow: the runs are for workers of our own")

    _step(f"Dry run of {story.last_year()[0]:%Y}")
    slots = story.plan(at)
    _show_changes(slots)
    _say(summarize([s.planned for s in slots]))

    _step("Create the backfill")
    backfill, seconds = story.create(at)
    _say(
        Text.assemble(
            f"backfill {backfill.id}: ",
            (f"{render.count(backfill.slots_created, 'run')} in {seconds * 1000:.0f} ms", "bold green"),
            ", in one transaction",
        )
    )

    _step(f"{story.WORKERS} workers, at most {backfill.max_active_runs} runs at once, and the 13th brings bad luck")
    with _timed() as worked:
        progress = _follow(story.work(at, backfill.id))
    _say(Text.assemble(describe_runs(progress), f", in {worked.seconds:.1f} s"))

    _step("Complete it: mark_backfills_complete, which Airflow's scheduler does by itself")
    (completed,) = story.complete(at)
    _say(Text.assemble(f"backfill {completed.id} of {completed.dag_id}: ", render.word(completed.status)))
    return {
        "create_seconds": round(seconds, 3),
        "work_seconds": round(worked.seconds, 1),
        "workers": story.WORKERS,
        "backfill": completed,
        "progress": progress,
    }


def _show_changes(slots: list[story.LocalSlot]) -> None:
    """The slots around the two changes of the clocks, which is where schedulers go wrong."""
    if wants_json():
        return
    rows: list[tuple[Any, ...]] = []
    for group in story.around_changes(slots):
        rows += [("…", "", "", "", "")] if rows else []
        for before, slot in zip([group[0], *group], group, strict=False):
            number, action = slot.planned.sort_ordinal, slot.planned.action
            rows.append((number, slot.logical_date, slot.wall_clock, _note(before, slot), action))
    render.print_table(_SLOTS, rows)


def _note(before: story.LocalSlot, slot: story.LocalSlot) -> str:
    """What is odd about a slot, if anything is."""
    if not slot.wall_clock.endswith("02:30"):
        return "no 02:30 on this day"
    hours = (slot.logical_date - before.logical_date) / timedelta(hours=1)
    return f"{hours:g} hours later" if hours not in (0, 24) else ""


def _follow(looks: Iterator[BackfillProgress]) -> BackfillProgress:
    """Show the work as a bar on a terminal, as a few lines in a pipe; returns the last progress."""
    if render.is_terminal() and not wants_json():
        with progress_bar(render.out(), indent="  ") as bar:
            task = bar.add_task("", total=100)
            for progress in looks:
                update_bar(bar, task, progress)
        return progress
    shown = 0
    for progress in looks:
        while progress.percent_finished >= shown:
            _say(f"{shown} %")
            shown += _PRINTED_STEP
    return progress


def _show_next_steps(at: str, keep: bool) -> None:
    first, last = story.last_year()
    window = f"--dag-id {story.DAG_ID} --from-date {first:%Y-%m-%d} --to-date {last:%Y-%m-%d}"
    _step("What to try next")
    command = _command()
    if not keep:
        lines = [
            f"{command} demo --keep                     the same, and the database stays up to try things on",
            f"{command} --dsn DSN migrate --sql         what a migration would do to your database",
            f"{command} --help",
        ]
    else:
        lines = [
            f"export PGBACKFILL_DSN='{at}'",
            f"{command} status",
            f"{command} list",
            f"{command} show 1 --runs",
            f"{command} dry-run {window} --reprocess-behavior failed",
            f"{command} create {window} --reprocess-behavior failed",
            f"{command} pause 2",
            f"{command} cancel 2",
        ]
        if shutil.which("psql"):
            lines.append("psql \"$PGBACKFILL_DSN\" -c 'select * from pgbackfill.backfill_progress'")
    for line in lines:
        click.echo(f"  {line}")


def _command() -> str:
    """What to type for this command: its name, or its path where the shell would not find it."""
    started_as = Path(sys.argv[0])
    found = shutil.which("pgbackfill")
    if started_as.name != "pgbackfill" or (found and Path(found).samefile(started_as)):
        return "pgbackfill"
    try:
        started_as = started_as.absolute().relative_to(Path.cwd())
    except ValueError:  # not below the working directory
        return shlex.quote(str(started_as))
    return f"./{started_as}" if started_as.parent == Path() else shlex.quote(str(started_as))


def _wait_for_interrupt() -> None:
    """Until Ctrl-C or a polite kill; both end the demo well."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        signal.pause()
    except KeyboardInterrupt:
        click.echo()


class _Timer:
    seconds = 0.0


@contextmanager
def _timed() -> Iterator[_Timer]:
    timer = _Timer()
    started = time.perf_counter()
    yield timer
    timer.seconds = time.perf_counter() - started


def _step(title: str) -> None:
    if not wants_json():
        render.out().print(Text.assemble("\n", ("▸ ", "bold cyan"), (title, "bold")))


def _say(text: str | Text) -> None:
    if not wants_json():
        render.out().print(Text.assemble("  ", text))
