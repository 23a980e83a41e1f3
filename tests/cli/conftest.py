from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from click.testing import CliRunner
from pgbackfill.cli import main


@dataclass(frozen=True)
class Outcome:
    """How a command ended and what it printed."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)


Command = Callable[..., Outcome]


@pytest.fixture
def pgb(dsn: str) -> Command:
    """The command on a migrated database, its output a pipe."""
    return command_on(dsn)


@pytest.fixture
def bare_pgb(empty_dsn: str) -> Command:
    """The command on an empty database."""
    return command_on(empty_dsn)


def command_on(dsn: str) -> Command:
    def run(*args: object, stdin: str | None = None, status: int = 0) -> Outcome:
        words = [str(a) for a in args]
        result = CliRunner(env={"PGBACKFILL_DSN": dsn}).invoke(main, words, input=stdin)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
        assert result.exit_code == status, result.output
        return Outcome(result.exit_code, result.stdout, result.stderr)

    return run
