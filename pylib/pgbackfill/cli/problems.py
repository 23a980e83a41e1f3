"""From an exception to what the user reads: one line, a hint where there is one, and the exit status."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from pgbackfill.errors import PgBackfillError

REFUSED = 1
MISUSED = 2
INTERRUPTED = 130

_NOT_INSTALLED = {"3F000", "42883", "42P01"}  # no such schema, function, table


@dataclass(frozen=True)
class Problem:
    message: str
    hint: str | None = None
    status: int = REFUSED


class Stop(Exception):
    """Ends the command with a problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def describe(exc: BaseException, dsn: str = "") -> Problem:
    """The problem that `exc` is to a user who works on `dsn`; no password in it."""
    if isinstance(exc, Stop):
        return exc.problem
    if isinstance(exc, click.Abort):
        return Problem("interrupted", status=INTERRUPTED)
    if isinstance(exc, click.UsageError):
        command = exc.ctx.command_path if exc.ctx else "pgbackfill"
        return Problem(exc.format_message(), f"{command} --help", MISUSED)
    if isinstance(exc, click.ClickException):
        return Problem(exc.format_message(), status=exc.exit_code)
    if isinstance(exc, PgBackfillError):
        return Problem(_sentence(exc.message, exc.detail, exc.sqlstate), exc.hint)
    original = getattr(exc, "orig", None) or exc  # SQLAlchemy keeps the driver's exception there
    sqlstate = getattr(original, "sqlstate", None) or getattr(original, "pgcode", None)
    if sqlstate:
        return _refused_by_server(original, sqlstate)
    package = type(original).__module__.partition(".")[0]
    if package in ("psycopg", "psycopg2"):
        return _no_connection(original, dsn)
    if package in ("pgbackfill", "alembic") or isinstance(exc, OSError):
        return Problem(_line(str(exc)))
    return Problem(f"{type(exc).__name__}: {_line(str(exc))}", "PGBACKFILL_TRACEBACK=1 shows where this happened.")


def show_problem(problem: Problem) -> None:
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print(Text.assemble(("pgbackfill: error: ", "bold red"), problem.message))
    if problem.hint:
        console.print(Text.assemble(("hint: ", "bold cyan"), _line(problem.hint)))


def _refused_by_server(original: Any, sqlstate: str) -> Problem:
    diagnostics = original.diag
    message = diagnostics.message_primary or str(original)
    if sqlstate in _NOT_INSTALLED and "pgbackfill" in message:
        return Problem("pgbackfill is not installed in this database, or is an older one", "pgbackfill migrate")
    return Problem(_sentence(message, diagnostics.message_detail, sqlstate), diagnostics.message_hint)


def _no_connection(original: BaseException, dsn: str) -> Problem:
    # libpq quotes what it could not read of the connection string, and that may be the password.
    if _has_unescaped_password(dsn):
        return Problem("the connection string cannot be read", "Percent-encode the password in it.")
    if type(original).__name__ == "ProgrammingError":
        return Problem("the connection string cannot be read", "It is libpq's: postgresql://user@host/database")
    hint = None if dsn else "Say which database: --dsn or PGBACKFILL_DSN, for example postgresql://user@host/database"
    return Problem(_line(str(original)), hint)


def _has_unescaped_password(dsn: str) -> bool:
    """libpq takes an `@`, `:` or `/` of the password for the end of it, and then prints the rest as a host."""
    credentials = re.match(r"\w+://([^:/@]*):(.*)@", dsn)
    return credentials is not None and re.search(r"[@:/?#\s]|%(?![0-9A-Fa-f]{2})", credentials[2]) is not None


def _sentence(message: str, detail: str | None, sqlstate: str) -> str:
    return f"{_line(message)}{f' ({_line(detail)})' if detail else ''} [{sqlstate}]"


def _line(text: str) -> str:
    return " ".join(text.split())
