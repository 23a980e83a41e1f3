"""The cells of the matrix: which backfill requests are made of each DAG, and of which runs it finds there before."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, product
from typing import Any

CONF = {"region": "us", "n": 2, "ü": [None, {"a": 1.5}], "airflow/task_span_detail_level": "2"}
OPTIONS: dict[str, tuple[Any, ...]] = {
    "reprocess_behavior": ("none", "failed", "completed"),
    "dag_run_conf": (None, {}, CONF),
    "run_backwards": (False, True),
    "run_on_latest_version": (True, False),
    "triggering_user_name": (None, "somebody"),
    "versions": (1, 2),
}
# What is there for a slot before the backfill; `seed_zoo.py` makes each with Airflow's own code.
PRIORS = (
    "empty",
    "scheduled success",
    "scheduled failure",
    "running",
    "queued",
    "partly mapped",
    "cleared before",
    "backfilled before",
    "without a version",
    "of the latest version",
)
_SUCCEEDED, _FAILED = ("completed",), ("failed", "completed")
CLEARED_BY = {
    "scheduled success": _SUCCEEDED,
    "of the latest version": _SUCCEEDED,
    "scheduled failure": _FAILED,
    "partly mapped": _FAILED,
    "cleared before": _FAILED,
    "backfilled before": _FAILED,
    "without a version": _FAILED,
}
"""The reprocess behaviors that clear a run."""


@dataclass(frozen=True)
class Cell:
    """One backfill request, and what is there for its slots, oldest first; `versions`: how many the DAG has."""

    reprocess_behavior: str
    dag_run_conf: dict[str, Any] | None
    run_backwards: bool
    run_on_latest_version: bool
    triggering_user_name: str | None
    versions: int
    priors: tuple[str, ...]

    @property
    def arguments(self) -> dict[str, Any]:
        """The request, without the DAG and its dates."""
        return {name: value for name, value in asdict(self).items() if name not in ("versions", "priors")}


def cells() -> list[Cell]:
    """Few cells in which every pair of values occurs: of two options, and of an option and what is there before.

    A run that is cleared is so with each combination of versions and run_on_latest_version that the cells have.
    """
    choices = [
        {name: OPTIONS[name][n] for name, n in zip(OPTIONS, row, strict=True)}
        for row in _covering_array([range(len(values)) for values in OPTIONS.values()])
    ]
    priors: list[list[str]] = [[] for _ in choices]
    for prior in PRIORS:
        traits = [_traits(choice, prior) for choice in choices]
        missing = set().union(*traits)
        while missing:
            best = max(range(len(choices)), key=lambda n: (len(missing & traits[n]), -len(priors[n]), -n))
            missing -= traits[best]
            priors[best].append(prior)
    return [Cell(**choice, priors=tuple(found)) for choice, found in zip(choices, priors, strict=True)]


def _traits(choice: dict[str, Any], prior: str) -> set[str]:
    """What has to occur with each prior: the value of every option, and how a run is cleared."""
    cleared = choice["reprocess_behavior"] in CLEARED_BY.get(prior, ())
    moved = f"cleared: {choice['versions']} {choice['run_on_latest_version']}" if cleared else "not cleared"
    return {f"{name}: {value}" for name, value in choice.items()} | {moved}


def pairs(row: Sequence[Hashable]) -> set[tuple[tuple[int, Hashable], ...]]:
    """The pairs of values of different columns that a row of a covering array has."""
    return set(combinations(enumerate(row), 2))


def _covering_array(columns: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """Rows in which every pair of values of two columns occurs: always the row next that has most of those missing."""
    rows: list[tuple[int, ...]] = []
    candidates = list(product(*columns))
    missing = set().union(*map(pairs, candidates))
    while missing:
        rows.append(max(candidates, key=lambda row: len(missing & pairs(row))))
        missing -= pairs(rows[-1])
    return rows
