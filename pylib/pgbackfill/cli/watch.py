"""`watch`: a backfill's progress until it has ended."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import chain

import click
import psycopg
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
from rich.table import Column
from rich.text import Text

import pgbackfill
from pgbackfill.cli import render
from pgbackfill.cli.backfills import describe_runs
from pgbackfill.cli.base import Command, connect, wants_json
from pgbackfill.models import BackfillProgress

FAILED_RUNS = 1
NOT_COMPLETED = 3
_ENDED = {"completed", "cancelled", "abandoned"}


@click.command(
    cls=Command,
    epilog="""\b
Exit status:
  0  completed, and no run failed
  1  completed, and runs failed (or the database refused)
  3  cancelled or abandoned

\b
Example:
  pgbackfill watch 12 && echo all well
""",
)
@click.argument("backfill_id", type=int, metavar="ID")
@click.option(
    "--interval",
    type=click.FloatRange(min=0.1),
    default=2.0,
    show_default=True,
    metavar="SECONDS",
    help="Look so often.",
)
@click.pass_context
def watch(ctx: click.Context, backfill_id: int, interval: float) -> None:
    """Follow a backfill until it has ended.

    That is, until it is completed, cancelled or abandoned.

    A terminal gets a progress bar, a pipe a line at each change, --json one document at the end. Ctrl-C ends the
    watching only.
    """
    with connect(autocommit=True) as conn:
        looks: Iterator[BackfillProgress] = _looks(conn, backfill_id, interval)
        looks = chain([next(looks)], looks)  # an unknown backfill ends it before a bar is drawn
        if wants_json():
            *_, last = looks
            render.print_json(last)
        elif render.is_terminal():
            last = _show_bar(looks)
        else:
            last = _print_changes(looks)
    ctx.exit(_exit_status(last))


def _looks(conn: psycopg.Connection, backfill_id: int, interval: float) -> Iterator[BackfillProgress]:
    while True:
        progress = pgbackfill.backfill_progress(conn, backfill_id)
        yield progress
        if progress.status in _ENDED:
            return
        time.sleep(interval)


def _show_bar(looks: Iterator[BackfillProgress]) -> BackfillProgress:
    with progress_bar(render.out()) as bar:
        task = bar.add_task("", total=100)
        for progress in looks:
            update_bar(bar, task, progress)
    render.out().print(_last_line(progress))
    return progress


def _print_changes(looks: Iterator[BackfillProgress]) -> BackfillProgress:
    printed = None
    for progress in looks:
        line = f"{progress.status}  {progress.percent_finished:.0f} %  {describe_runs(progress)}"
        if line != printed:
            print(line, flush=True)
            printed = line
    return progress


def progress_bar(console: Console, *, indent: str = "") -> Progress:
    """A bar for `update_bar`."""
    return Progress(
        TextColumn(indent + "{task.description}"),
        BarColumn(bar_width=24, complete_style="cyan", finished_style="green"),
        TextColumn("{task.percentage:>3.0f} %"),
        _RunsColumn(table_column=Column(no_wrap=True, overflow="ellipsis")),
        console=console,
    )


def update_bar(bar: Progress, task: object, progress: BackfillProgress) -> None:
    bar.update(
        task,  # type: ignore[arg-type]
        description=f"backfill {progress.backfill_id}",
        completed=float(progress.percent_finished),
        progress=progress,
    )


class _RunsColumn(ProgressColumn):
    """The status where it says more than the bar, the runs by state, and when the end is expected."""

    def render(self, task: Task) -> Text:
        progress: BackfillProgress | None = task.fields.get("progress")
        if progress is None:
            return Text()
        text = describe_runs(progress)
        if progress.status not in ("running", "completed"):
            text = Text.assemble(render.word(progress.status), ", ", text)
        if progress.estimated_completion_at and progress.queued + progress.running:
            text.append(f"  ends ~{progress.estimated_completion_at:%H:%M} UTC", "dim")
        return text


def _last_line(progress: BackfillProgress) -> Text:
    return Text.assemble(
        (f"backfill {progress.backfill_id}", "bold"),
        f" of {progress.dag_id}: ",
        render.word(progress.status),
        ", ",
        describe_runs(progress),
    )


def _exit_status(progress: BackfillProgress) -> int:
    if progress.status != "completed":
        return NOT_COMPLETED
    return FAILED_RUNS if progress.failed else 0
