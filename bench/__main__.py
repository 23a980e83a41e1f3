"""`make bench`: on Airflow 3.3.2's tables, creation three ways (Airflow's own, create_backfill, bare INSERT ... SELECT), the
slots of timetables two ways, and what the triggers on dag_run cost a run without a backfill.

Prints medians with the least and the greatest, ratios, versions and the machine's size; `--json FILE` keeps every sample,
`--write-docs` renews docs/bench.md.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import click
from pgbackfill.server import EmbeddedServer, Installation, ServerError
from rich.console import Console

from bench import guard_cost, report, timetables
from bench.creation import Databases, Shape, databases, measure
from bench.report import Environment, Figures, OfServer

SHAPES = [Shape(365, 1), Shape(365, 10), Shape(1825, 10)]


@click.command(help=__doc__)
@click.option(
    "--rounds", default=5, show_default=True, type=click.IntRange(min=1), help="In each, every way takes its turn once."
)
@click.option(
    "--postgresql",
    "others",
    multiple=True,
    metavar="FOLDER",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Programs of a PostgreSQL to measure on besides PGBACKFILL_PG_BIN's, or else the embedded one; more than once for several.",
)
@click.option("--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), help="Write every sample there.")
@click.option("--write-docs", is_flag=True, help="Keep the figures in bench/, and renew docs/bench.md.")
@click.option("--render-only", is_flag=True, help="Measure nothing: renew docs/bench.md from the figures kept.")
def main(rounds: int, others: tuple[Path, ...], json_file: Path | None, write_docs: bool, render_only: bool) -> None:
    if render_only:
        report.render()
        return
    try:
        installations = [Installation.find(), *(Installation.at(folder) for folder in others)]
    except ServerError as error:
        raise click.ClickException(str(error)) from None
    figures = run(installations, rounds)
    for table in report.as_tables(figures):
        Console().print(table)
    for line in report.environment_lines(figures):
        Console().print(line, highlight=False)
    if json_file:
        json_file.write_text(report.as_json(figures), encoding="utf-8")
    if write_docs:
        report.keep(figures)
        report.render()


def run(installations: list[Installation], rounds: int) -> Figures:
    environment = Environment.here()
    with ExitStack() as stack:
        status = stack.enter_context(Console(stderr=True).status("Installing Airflow and migrating databases ..."))
        servers: list[Databases] = []
        for installation in installations:
            server = stack.enter_context(EmbeddedServer(installation=installation))
            servers.append(stack.enter_context(databases(server)))
        creations = []
        for shape in SHAPES:

            def say(number: int, what: str = f"{shape.runs} runs x {shape.tasks} tasks") -> None:
                status.update(f"{what}, round {number + 1} of {rounds} ...")

            creations.append(measure(servers, shape, rounds, say))
        costs = []
        for on in servers:  # after them, for the room in the table that it leaves
            status.update("Updating runs without a backfill ...")
            with on.migrated.connect() as conn:
                costs.append(guard_cost.measure(conn, rounds))
        iterations = timetables.measure(
            [on.migrated for on in servers], rounds, lambda name: status.update(f"The slots of a timetable: {name} ...")
        )
        return Figures(
            environment,
            rounds,
            [
                OfServer.of(on.migrated, list(created), cost, found)
                for on, created, cost, found in zip(
                    servers, zip(*creations, strict=True), costs, iterations, strict=True
                )
            ],
        )


if __name__ == "__main__":
    main()
