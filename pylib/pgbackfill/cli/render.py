"""What the command prints: rich on a terminal, plain and complete in a pipe, or one JSON document."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

BAR_WIDTH = 32
STYLES = {
    # what happens to a slot
    "create": "green",
    "clear": "yellow",
    "skip": "dim",
    # what happens to a duplicate
    "keep": "green",
    "close": "red",
    # a backfill
    "initializing": "yellow",
    "running": "cyan",
    "queued": "blue",
    "paused": "yellow",
    "completed": "green",
    "cancelled": "red",
    "abandoned": "red",
    # a run
    "success": "green",
    "failed": "red",
}


@dataclass(frozen=True)
class Column:
    header: str
    align: Literal["left", "right"] = "left"
    is_word: bool = False
    """Holds words of STYLES."""


def out() -> Console:
    """stdout, as it is at this moment. A pipe gets whole lines, whatever their length."""
    return Console(highlight=False, soft_wrap=True)


def is_terminal() -> bool:
    return out().is_terminal


def date(value: datetime | None) -> str:
    """ISO 8601 in UTC, as `--from-date` reads it back; no seconds where there are none."""
    if value is None:
        return ""
    precision = "auto" if value.second or value.microsecond else "minutes"
    return value.isoformat(timespec=precision).replace("+00:00", "Z")


def print_table(columns: Sequence[Column], rows: Iterable[Sequence[Any]]) -> None:
    cells = [["" if v is None else date(v) if isinstance(v, datetime) else str(v) for v in row] for row in rows]
    if is_terminal():
        _print_rich(columns, cells)
    else:
        _print_plain(columns, cells)


def print_json(value: Any) -> None:
    print(json.dumps(value, default=_json_default, indent=2, ensure_ascii=False))


def print_json_line(value: Any) -> None:
    """One document of several, each of which a reader can use as soon as it comes."""
    print(json.dumps(value, default=_json_default, ensure_ascii=False), flush=True)


def print_facts(facts: Iterable[tuple[str, Any]]) -> None:
    """Names and values, one pair a line."""
    lines = [(name, value if isinstance(value, Text) else Text(str(value))) for name, value in facts]
    width = max(len(name) for name, _ in lines)
    for name, value in lines:
        out().print(Text.assemble((name.ljust(width), "dim"), "  ", value))


def word(value: str) -> Text:
    return Text(value, STYLES.get(value, ""))


def bar(percent: float) -> Text:
    """A percentage, on a terminal with a bar."""
    filled = int(percent / 100 * BAR_WIDTH)
    text = Text(f"{percent:.0f} %")
    if is_terminal():
        style = "green" if filled == BAR_WIDTH else "cyan"
        text = Text.assemble(("━" * filled, style), ("━" * (BAR_WIDTH - filled), "dim"), "  ", text)
    return text


def count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


class Busy:
    """Something that may take a while: a spinner on a terminal, nothing in a pipe."""

    def __init__(self, message: str) -> None:
        self.console = out()
        self._spinner = self.console.status(Text(message)) if self.console.is_terminal else None

    def __enter__(self) -> Busy:
        if self._spinner:
            self._spinner.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._spinner:
            self._spinner.stop()

    def now(self, message: str) -> None:
        """Change what the spinner says."""
        if self._spinner:
            self._spinner.update(Text(message))

    def print(self, line: Text) -> None:
        """Print a line above the spinner."""
        self.console.print(line)


def _print_rich(columns: Sequence[Column], cells: Sequence[Sequence[str]]) -> None:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True, header_style="bold")
    for column in columns:
        table.add_column(column.header, justify=column.align, overflow="fold")
    for row in cells:
        table.add_row(*(word(v) if c.is_word else Text(v) for c, v in zip(columns, row, strict=True)))
    Console(highlight=False).print(table)


def _print_plain(columns: Sequence[Column], cells: Sequence[Sequence[str]]) -> None:
    rows = [[c.header for c in columns], *cells]
    widths = [max(len(row[i]) for row in rows) for i in range(len(columns))]
    for row in rows:
        aligned = (
            v.rjust(width) if column.align == "right" else v.ljust(width)
            for v, width, column in zip(row, widths, columns, strict=True)
        )
        print("  ".join(aligned).rstrip())


def _json_default(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, Decimal):
        return float(value)
    raise TypeError(type(value).__name__)
