"""What docs/bench.md says was measured."""

from __future__ import annotations

from bench import report


def test_the_page_says_what_the_kept_figures_say() -> None:
    """`make bench ARGS=--write-docs` writes both."""
    assert report.DOCS.read_text(encoding="utf-8") == report.as_markdown(report.kept_figures())
