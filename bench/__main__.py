"""`make bench`: on Airflow 3.3.2's tables, creation three ways (Airflow's own, create_backfill, bare INSERT ... SELECT), the
slots of timetables two ways, and what the triggers on dag_run cost a run without a backfill.

Prints medians, ratios, versions and the machine's size; `--json FILE` keeps them, `--write-docs` renews docs/bench.md.
"""

from __future__ import annotations

from pathlib import Path

import click
from pgbackfill.server import EmbeddedServer
from rich.console import Console

from bench import guard_cost, timetables
from bench.creation import Shape, databases, measure
from bench.report import Environment, Figures, as_json, as_tables, write_docs

SHAPES = [Shape(365, 1), Shape(365, 10), Shape(1825, 10)]


@click.command(help=__doc__)
@click.option(
    "--repeats", default=5, show_default=True, type=click.IntRange(min=1), help="Of each SQL way, and of the triggers."
)
@click.option(
    "--airflow-repeats",
    default=3,
    show_default=True,
    type=click.IntRange(min=1),
    help="Of Airflow's own, each time twice.",
)
@click.option(
    "--json", "json_file", type=click.Path(dir_okay=False, path_type=Path), help="Write the figures there too."
)
@click.option(
    "--write-docs", "for_docs", is_flag=True, help="Keep the figures of this PostgreSQL, and renew docs/bench.md."
)
def main(repeats: int, airflow_repeats: int, json_file: Path | None, for_docs: bool) -> None:
    results = []
    with (
        Console(stderr=True).status("Installing Airflow 3.3.2 and migrating a database ...") as status,
        EmbeddedServer() as server,
        databases(server) as both,
    ):
        with both.migrated.connect() as conn:
            where = Environment.of(conn)
        for shape in SHAPES:
            status.update(f"{shape.runs} runs x {shape.tasks} tasks ...")
            results.append(measure(both, shape, max(repeats, airflow_repeats), airflow_repeats))
        status.update("Updating runs without a backfill ...")  # last, for the room in the table that it leaves
        with both.migrated.connect() as conn:
            cost = guard_cost.measure(conn, repeats)
        status.update("Going through the slots of timetables ...")
        iterations = list(timetables.measure(both.migrated, repeats))
    figures = Figures(where, results, cost, iterations)
    for table in as_tables(figures):
        Console().print(table)
    Console().print(str(where), highlight=False)
    if json_file:
        json_file.write_text(as_json(figures), encoding="utf-8")
    if for_docs:
        write_docs(figures)


if __name__ == "__main__":
    main()
