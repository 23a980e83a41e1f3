"""What docs/bench.md says was measured."""

from __future__ import annotations

from bench import report
from bench.creation import WAYS


def test_the_page_says_what_the_kept_figures_say() -> None:
    """`make bench ARGS=--write-docs` writes both."""
    assert report.DOCS.read_text(encoding="utf-8") == report.as_markdown(report.kept_figures())


def test_every_round_is_kept_and_of_a_commit() -> None:
    figures = report.kept_figures()
    assert figures.rounds > 1
    assert not figures.environment.commit.endswith("-dirty")
    for server in figures.servers:
        for creation in server.creations:
            assert creation.seconds.keys() == WAYS.keys()
            assert {len(samples) for samples in creation.seconds.values()} == {figures.rounds}
        assert len(server.guard_cost.with_triggers) == len(server.guard_cost.without_triggers) == figures.rounds
        for iteration in server.timetables:
            assert len(iteration.timetable_infos) == len(iteration.last_day) == figures.rounds


def test_a_ratio_is_taken_in_each_round() -> None:
    some, others = [10.0, 40.0, 90.0], [10.0, 10.0, 30.0]
    assert report.spread(report.ratios(some, others), ".1f") == "3.0 (1.0-4.0)"
