"""The group `pgbackfill` with its subcommands in the order that one meets them."""

from __future__ import annotations

import click

from pgbackfill.cli.backfills import cancel, create, dry_run, list_, pause, set_failure_policy, show, unpause
from pgbackfill.cli.base import Application
from pgbackfill.cli.demo import demo
from pgbackfill.cli.events import events
from pgbackfill.cli.migrations import migrate, uninstall
from pgbackfill.cli.repair import repair
from pgbackfill.cli.status import status
from pgbackfill.cli.watch import watch


@click.group(
    cls=Application,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""\b
Exit status:
  0  done
  1  refused by the database, or the answer is no (status: not up to date; watch: runs failed)
  2  the command was not understood
  3  watch: the backfill was cancelled or abandoned
130  interrupted

\b
Examples:
  pgbackfill --dsn postgresql://airflow@db/airflow status
  pgbackfill dry-run --dag-id sales --from-date 2026-01-01 --to-date 2026-03-31
""",
)
@click.version_option(package_name="pgbackfill", message="%(package)s %(version)s")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Backfills as a database primitive for Apache Airflow 3's metadata database on PostgreSQL."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


for command in (
    migrate,
    status,
    uninstall,
    repair,
    create,
    dry_run,
    list_,
    show,
    watch,
    events,
    pause,
    unpause,
    cancel,
    set_failure_policy,
    demo,
):
    main.add_command(command)
