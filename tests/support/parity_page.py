"""`docs/parity.md`, written from what the matrix of each release came to."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from support import rows
from support.cells import OPTIONS, cells
from support.zoo import Matrix, Outcome

PAGE = """\
# Row for row

What `create_backfill` writes is what Airflow's own `_create_backfill` writes. `tests/airflow/test_parity.py` shows it, and writes
this page: it makes {shapes} shapes of DAGs with runs in all sorts of states, copies that database, creates {backfills} backfills on
one copy by Airflow's own code and on the other by SQL, and compares every row of every table of Airflow's schema. It does so
on {releases}.
It found no difference, and changed one column after another to see that it would have found it. Before each creation it
asked `plan_backfill`, and creation did to every slot what that had said.

| release | backfills created | slots created | cleared | skipped | rows written |
|---|---|---|---|---|---|
{totals}

## What may differ

What was there before must be the same to the letter. In what a creation writes,

{replacements}

Nothing else is left out. Airflow's REST API writes a row of the table `log` for each request; neither `_create_backfill` nor SQL
does. The triggers of pgbackfill write to its own schema only, and set `backfill.initialized_at`.

## What the database does not know

SQL writes what follows from the database. It cannot know, and so cannot refuse either,

- a cluster policy (`task_instance_mutation_hook`), which Airflow calls for each task instance;
- a sampler of OpenTelemetry: a new trace is marked as it is where OpenTelemetry is off;
- on Airflow 3.0, `[operators] default_queue` and `[core] default_task_retries` where they are configured: that release does not
  serialize what equals them, so SQL writes Airflow's own defaults. Later releases serialize them.

## The shapes

`equal`: no difference. `equal, given the slots`: SQL cannot evaluate the timetable (PB013) and was given `infos`. `both refuse`:
Airflow does not make this backfill either. `SQL refuses`: what cannot be written from SQL is refused by name, before anything is
written; create that backfill with Airflow. `-`: the release has no such thing. Numbers count the cells below. Of
`executor_config_never_written`, `backfills_not_allowed` and `deadlines` there are no runs before: the first must not have any, the
second cannot have been backfilled, and a run with a deadline is one that Airflow 3.3.2 itself fails to clear.

{shapes_table}

## Why SQL refuses

Create such a backfill with Airflow. The executor_config is lacking only until Airflow has made one run of that DAG version: SQL takes
its pickled form from there.

{reasons}

## The cells

Every shape is backfilled once for each row: every value of an option occurs with every value of any other, and with everything
that may be there before. A slot is one of the last column, in this order from the oldest on; with two versions of the DAG, the
runs that were there before are of the first, but those of the latest.

{cells_table}

## Where releases differ

SQL follows the release that it finds (`sql/plan/_airflow_minor.sql`). `sql/create/_release_rules.sql` has each rule and its reason:
trace contexts, `custom_operator_name`, the DAG version and the bundle version of a cleared run, its conf, a backfill's null conf,
and the end of an attempt that is cleared before it has ended.
`run_on_latest_version` came with Airflow 3.1; on 3.0 SQL does what 3.0 does, whether it is set or not.
"""


def page(matrices: Mapping[str, Matrix]) -> str:
    shapes = sorted({o.request.shape for m in matrices.values() for o in m.outcomes})
    return PAGE.format(
        shapes=len(shapes),
        backfills=f"up to {max(len(created(m)) for m in matrices.values())}",
        releases=", ".join(f"Airflow {release}" for release in matrices),
        totals="\n".join(total(release, matrix) for release, matrix in matrices.items()),
        replacements=replacements(),
        shapes_table=table(
            ["shape", *matrices],
            ([f"`{shape}`", *(verdict(of_shape(m, shape)) for m in matrices.values())] for shape in shapes),
        ),
        reasons="\n".join(f"- {reason}" for reason in reasons(matrices)),
        cells_table=table(
            [*OPTIONS, "there before"],
            (
                [*(json.dumps(getattr(cell, name), ensure_ascii=False) for name in OPTIONS), ", ".join(cell.priors)]
                for cell in cells()
            ),
        ),
    )


def created(matrix: Matrix) -> list[Outcome]:
    return [outcome for outcome in matrix.outcomes if outcome.sqlstate is None]


def of_shape(matrix: Matrix, shape: str) -> list[Outcome]:
    return [outcome for outcome in matrix.outcomes if outcome.request.shape == shape]


def total(release: str, matrix: Matrix) -> str:
    actions: Counter[str] = sum((outcome.actions for outcome in matrix.outcomes), Counter())
    counts = [len(created(matrix)), actions["create"], actions["clear"], actions["skip"], matrix.rows_written]
    return f"| {release} | " + " | ".join(map(str, counts)) + " |"


def replacements() -> str:
    """The list in the docstring of `rows`, which makes them."""
    return "\n".join(re.findall(r"^(?:- |  (?! )).*$", rows.__doc__ or "", re.MULTILINE))


def verdict(outcomes: Sequence[Outcome]) -> str:
    """What came of a shape on a release, in a few words."""
    counts = Counter(map(_verdict, outcomes))
    if len(counts) == 1:
        return next(iter(counts))
    return "; ".join(f"{word} ({number})" for word, number in sorted(counts.items())) or "-"


def _verdict(outcome: Outcome) -> str:
    if outcome.sqlstate is None:
        return "equal, given the slots" if outcome.with_infos else "equal"
    return f"both refuse: {outcome.sqlstate}" if outcome.airflows_refusal else f"SQL refuses: {outcome.sqlstate}"


def reasons(matrices: Mapping[str, Matrix]) -> Iterable[str]:
    """What SQL refused though Airflow does it, in the words of its errors, without the names of the DAGs."""
    found: dict[str, set[str]] = {}
    for matrix in matrices.values():
        for outcome in matrix.outcomes:
            if outcome.sqlstate is not None and not outcome.airflows_refusal:
                reason = re.sub(r'^DAG "[^"]*" ', "the DAG ", outcome.reason)
                found.setdefault(f"{outcome.sqlstate}, {reason}", set()).add(outcome.request.shape)
    return (f"{reason} ({', '.join(f'`{shape}`' for shape in sorted(of))})" for reason, of in sorted(found.items()))


def table(head: Sequence[str], body: Iterable[Sequence[Any]]) -> str:
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)
