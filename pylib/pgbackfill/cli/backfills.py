"""The subcommands on backfills: what an operator does."""

from __future__ import annotations

import getpass
import json
from collections import Counter
from collections.abc import Callable
from typing import Any, get_args

import click
from rich.text import Text

import pgbackfill
from pgbackfill._calls import OnFailure
from pgbackfill.cli import render
from pgbackfill.cli.base import Command, connect, read_date, read_json, wants_json
from pgbackfill.cli.render import Column
from pgbackfill.models import BackfillProgress, BackfillState, DagRunState, PlannedSlot

_SLOTS = (
    Column("#", "right"),
    Column("LOGICAL DATE"),
    Column("RUN AFTER"),
    Column("ACTION", is_word=True),
    Column("WHY"),
    Column("RUN ID"),
)
_BACKFILLS = (
    Column("ID", "right"),
    Column("DAG"),
    Column("STATUS", is_word=True),
    Column("FROM"),
    Column("TO"),
    Column("CREATED AT"),
    Column("SLOTS", "right"),
)
_RUNS = (
    Column("#", "right"),
    Column("LOGICAL DATE"),
    Column("STATE", is_word=True),
    Column("STARTED"),
    Column("ENDED"),
    Column("RUN ID"),
)


def _plan_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of `airflow backfill create` that a dry run takes too, by the same names, and `--infos`."""
    for option in (
        click.option(
            "--infos",
            type=click.File(encoding="utf-8"),
            callback=read_json,
            metavar="FILE",
            help="JSON array of the slots, for a timetable that SQL cannot evaluate; - is stdin.",
        ),
        click.option(
            "--reprocess-behavior",
            type=click.Choice(["none", "completed", "failed"]),
            help="Which slots that have a run already are run again. Default is none.",
        ),
        click.option("--run-backwards", is_flag=True, default=None, help="Latest slot first."),
        click.option("--dag-run-conf", callback=read_json, metavar="JSON", help="JSON object, the conf of every run."),
        click.option(
            "--to-date",
            callback=read_date,
            required=True,
            metavar="DATE",
            help="Window end, inclusive; ISO 8601, UTC if naive.",
        ),
        click.option(
            "--from-date",
            callback=read_date,
            required=True,
            metavar="DATE",
            help="Window start, inclusive; ISO 8601, UTC if naive.",
        ),
        click.option("--dag-id", required=True, help="The DAG to backfill."),
    ):
        command = option(command)
    return command


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  pgbackfill create --dag-id sales --from-date 2026-01-01 --to-date 2026-03-31
  pgbackfill create --dag-id sales --from-date 2026-01-01 --to-date 2026-03-31 --reprocess-behavior failed \\
      --max-active-runs 4 --dag-run-conf '{"full": true}' --idempotency-key q1-again
""",
)
@_plan_options
@click.option("--max-active-runs", type=click.IntRange(min=1), help="How many of its runs may be running at once.")
@click.option(
    "--run-on-latest-version/--no-run-on-latest-version",
    default=None,
    help="Run on the DAG's latest bundle version, or on that of the original run.",
)
@click.option(
    "--on-failure",
    type=click.Choice(get_args(OnFailure)),
    help="What the first run that fails does to the backfill.  [default: continue]",
)
@click.option("--dry-run", "is_dry_run", is_flag=True, help="Show what would happen, as `pgbackfill dry-run` does.")
@click.option("--idempotency-key", help="The same key and request again answer with the same backfill.")
@click.option("--triggering-user-name", default=lambda: _user(), help="Who asks.  [default: the user of this process]")
def create(
    is_dry_run: bool,
    max_active_runs: int | None,
    run_on_latest_version: bool | None,
    idempotency_key: str | None,
    triggering_user_name: str | None,
    on_failure: str | None,
    **plan: Any,
) -> None:
    """Create a backfill with all its runs, in one transaction."""
    if is_dry_run:
        _dry_run(plan)
        return
    creation = _given(
        max_active_runs=max_active_runs,
        run_on_latest_version=run_on_latest_version,
        idempotency_key=idempotency_key,
        triggering_user_name=triggering_user_name,
        on_failure=on_failure,
    )
    with render.Busy("creating the backfill"), connect() as conn:
        backfill = pgbackfill.create_backfill(conn, **_plan_arguments(plan), **creation)
    if wants_json():
        render.print_json(backfill)
        return
    render.out().print(
        Text.assemble(
            (f"backfill {backfill.id}", "bold"),
            f" of {backfill.dag_id}, ",
            render.word(backfill.status),
            f": {_what_was_done(backfill)}",
        )
    )
    if not backfill.slots_created + backfill.slots_cleared:
        behaviors = (
            "" if plan["reprocess_behavior"] == "completed" else "; --reprocess-behavior says which runs to run again"
        )
        render.out().print(f"nothing will run: every slot has a run already{behaviors}")
    elif render.is_terminal():
        render.out().print(Text(f"follow it: pgbackfill watch {backfill.id}", "dim"))


@click.command(
    "dry-run",
    cls=Command,
    epilog="""\b
Example:
  pgbackfill dry-run --dag-id sales --from-date 2026-01-01 --to-date 2026-03-31 --reprocess-behavior failed
""",
)
@_plan_options
def dry_run(**plan: Any) -> None:
    """Show what `create` would do to each slot, and why.

    Writes nothing and locks nothing.
    """
    _dry_run(plan)


def _dry_run(plan: dict[str, Any]) -> None:
    with render.Busy("planning"), connect() as conn:
        slots = pgbackfill.plan_backfill(conn, **_plan_arguments(plan))
    if wants_json():
        actions = Counter(s.action for s in slots)
        summary = {a: actions[a] for a in ("create", "clear", "skip")}
        render.print_json({"dag_id": plan["dag_id"], "summary": summary, "slots": slots})
        return
    if not slots:
        render.out().print("no slot: the schedule has none in this window whose data interval has ended")
        return
    print_slots(slots)
    render.out().print(summarize(slots))


def print_slots(slots: list[PlannedSlot]) -> None:
    rows = [(s.sort_ordinal, _slot(s), s.run_after, s.action, s.exception_reason, s.run_id) for s in slots]
    render.print_table(_SLOTS, rows)


def summarize(slots: list[PlannedSlot]) -> Text:
    """One line: how many slots, and what happens to them."""
    actions = Counter(s.action for s in slots)
    reasons = Counter(s.exception_reason for s in slots if s.exception_reason)
    why = f" ({', '.join(f'{n:,} {reason}' for reason, n in reasons.items())})" if reasons else ""
    return Text.assemble(
        (f"{render.count(len(slots), 'slot')}: ", "bold"),
        (f"{actions['create']:,} to create", render.STYLES["create"]),
        ", ",
        (f"{actions['clear']:,} to clear", render.STYLES["clear"]),
        f", {actions['skip']:,} to skip{why}",
    )


@click.command(
    "list",
    cls=Command,
    epilog="""\b
Examples:
  pgbackfill list --active
  pgbackfill list --dag-id sales --json
""",
)
@click.option("--dag-id", help="Of this DAG only.")
@click.option("--active/--completed", default=None, help="Only those not completed yet, or only the others.")
@click.option(
    "--limit", type=click.IntRange(min=1), default=100, show_default=True, help="At most so many, the newest."
)
def list_(dag_id: str | None, active: bool | None, limit: int) -> None:
    """List backfills, newest first."""
    with connect() as conn:
        backfills = pgbackfill.list_backfills(conn, dag_id=dag_id, active=active, limit=limit)
    if wants_json():
        render.print_json(backfills)
        return
    if not backfills:
        render.out().print("no backfills")
        return
    rows = [
        (b.id, b.dag_id, b.status, b.from_date, b.to_date, b.created_at.replace(microsecond=0), _slots(b))
        for b in backfills
    ]
    render.print_table(_BACKFILLS, rows)


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  pgbackfill show 12
  pgbackfill show 12 --runs
""",
)
@click.argument("backfill_id", type=int, metavar="ID")
@click.option("--runs", is_flag=True, help="Every slot with its run.")
def show(backfill_id: int, runs: bool) -> None:
    """Show one backfill and how far it is."""
    with connect() as conn:
        backfill = pgbackfill.get_backfill(conn, backfill_id)
        progress = pgbackfill.backfill_progress(conn, backfill_id)
        dag_runs = pgbackfill.backfill_dag_runs(conn, backfill_id) if runs else None
    if wants_json():
        document: dict[str, Any] = {"backfill": backfill, "progress": progress}
        render.print_json(document if dag_runs is None else {**document, "dag_runs": dag_runs})
        return
    _show(backfill, progress)
    if dag_runs is not None:
        render.out().print()
        _show_runs(dag_runs)


def _show(b: BackfillState, p: BackfillProgress) -> None:
    facts: list[tuple[str, Any]] = [
        ("backfill", Text.assemble((f"{b.id} of {b.dag_id}", "bold"), ", ", render.word(b.status))),
        ("window", f"{render.date(b.from_date)} to {render.date(b.to_date)}"),
        (
            "slots",
            f"{p.slots:,}: {_what_was_done(b)}",
        ),
        ("runs", describe_runs(p)),
        ("finished", render.bar(float(p.percent_finished))),
        ("at once", f"{b.max_active_runs:,}"),
        ("reprocess", b.reprocess_behavior),
        ("conf", json.dumps(b.dag_run_conf, ensure_ascii=False) if b.dag_run_conf else ""),
        ("asked by", b.triggering_user_name or ""),
        ("on failure", b.on_failure),
        ("created", render.date(b.created_at)),
        ("first start", render.date(p.started_at)),
        ("last end", render.date(p.last_finished_at)),
        ("expected end", "" if b.completed_at else render.date(p.estimated_completion_at)),
        ("completed", render.date(b.completed_at)),
    ]
    render.print_facts((name, value) for name, value in facts if value)


def _slots(b: BackfillState) -> int:
    return b.slots_created + b.slots_cleared + b.slots_skipped


def _what_was_done(b: BackfillState) -> str:
    return f"{b.slots_created:,} created, {b.slots_cleared:,} cleared, {b.slots_skipped:,} skipped"


def describe_runs(p: BackfillProgress) -> Text:
    """The runs by state, in one line; deleted ones only where there are any."""
    states = [("success", p.success), ("failed", p.failed), ("running", p.running), ("queued", p.queued)]
    if p.deleted:
        states.append(("deleted", p.deleted))
    return Text(", ").join(Text(f"{n:,} {s}", render.STYLES.get(s, "") if n else "dim") for s, n in states)


def _show_runs(dag_runs: list[DagRunState]) -> None:
    render.print_table(
        _RUNS,
        [
            (
                r.sort_ordinal,
                _slot(r),
                r.state or r.exception_reason or "deleted",
                r.start_date and r.start_date.replace(microsecond=0),
                r.end_date and r.end_date.replace(microsecond=0),
                r.run_id,
            )
            for r in dag_runs
        ],
    )


@click.command(cls=Command)
@click.argument("backfill_id", type=int, metavar="ID")
def pause(backfill_id: int) -> None:
    """Hold back the queued runs of a backfill.

    Running ones go on. Pausing a paused backfill changes nothing.
    """
    _change(pgbackfill.pause_backfill, backfill_id)


@click.command(cls=Command)
@click.argument("backfill_id", type=int, metavar="ID")
def unpause(backfill_id: int) -> None:
    """Let the queued runs of a paused backfill start."""
    _change(pgbackfill.unpause_backfill, backfill_id)


@click.command(cls=Command)
@click.argument("backfill_id", type=int, metavar="ID")
def cancel(backfill_id: int) -> None:
    """End a backfill now.

    Its queued runs become failed, running ones go on, and the DAG is free for another backfill.
    """
    _change(pgbackfill.cancel_backfill, backfill_id)


@click.command(cls=Command, name="set-failure-policy")
@click.argument("backfill_id", type=int, metavar="ID")
@click.argument("on_failure", metavar="|".join(get_args(OnFailure)), type=click.Choice(get_args(OnFailure)))
def set_failure_policy(backfill_id: int, on_failure: OnFailure) -> None:
    """Say what the next run that fails does to a live backfill, whoever created it.

    It is done once; resume a paused backfill with `unpause`, and set the policy again if you want it again.
    """
    _change(pgbackfill.set_failure_policy, backfill_id, on_failure, and_then=f", on failure: {on_failure}")


def _change(change: Callable[..., BackfillState], backfill_id: int, *arguments: Any, and_then: str = "") -> None:
    with render.Busy("waiting for the backfill"), connect() as conn:
        backfill = change(conn, backfill_id, *arguments)
    if wants_json():
        render.print_json(backfill)
    else:
        render.out().print(
            Text.assemble(
                (f"backfill {backfill.id}", "bold"), f" of {backfill.dag_id}: ", render.word(backfill.status), and_then
            )
        )


def _slot(slot: PlannedSlot | DagRunState) -> str:
    return render.date(slot.logical_date) or f"partition {slot.partition_key}"


def _plan_arguments(plan: dict[str, Any]) -> dict[str, Any]:
    """The arguments of the options; no conf is null, which as in Airflow's command leaves the conf of a cleared run."""
    return {**_given(**plan), "dag_run_conf": plan["dag_run_conf"]}


def _given(**options: Any) -> dict[str, Any]:
    """Those that were given; the database knows the defaults of the others."""
    return {k: v for k, v in options.items() if v is not None}


def _user() -> str | None:
    """The user of this process, as Airflow's command takes it; none where the system knows no name for it."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return None
