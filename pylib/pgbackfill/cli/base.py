"""What all subcommands share: `--dsn` and `--json`, the connection, and how an error ends the command."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from typing import Any, TextIO

import click
import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from pgbackfill.cli.problems import Stop, describe, show_problem

_META = "pgbackfill.cli."


def _remember(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    """Keep what was given at the group or at the subcommand; the latter is read last and wins."""
    if value:
        ctx.meta[_META + str(param.name)] = value


def _common_options() -> list[click.Parameter]:
    return [
        click.Option(
            ["--dsn"],
            metavar="CONNINFO",
            expose_value=False,
            callback=_remember,
            help="Database: libpq conninfo or URI. Default: PGBACKFILL_DSN, else libpq's own variables.",
        ),
        click.Option(
            ["--json"],
            is_flag=True,
            expose_value=False,
            callback=_remember,
            help="Print one JSON document; dates are ISO 8601 in UTC.",
        ),
    ]


class Command(click.Command):
    """A subcommand, which takes the common options too."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params.extend(_common_options())


class Application(click.Group):
    """The group: every way out is an exit status and, after an error, one line and perhaps a hint on stderr."""

    command_class = Command

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params.extend(_common_options())

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)  # as added, not by name

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand; a problem is described here, where its database is still known."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.Abort, click.exceptions.Exit, BrokenPipeError):
            raise  # click knows what to do with these
        except Exception as exc:
            if os.environ.get("PGBACKFILL_TRACEBACK"):
                raise
            raise Stop(describe(exc, dsn())) from exc

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        try:
            status = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        except (Stop, click.ClickException, click.Abort) as exc:
            problem = describe(exc)
            show_problem(problem)
            status = problem.status
        sys.exit(status if isinstance(status, int) else 0)


def dsn() -> str:
    """The database that the user chose; empty means libpq's own variables."""
    return given_dsn() or os.environ.get("PGBACKFILL_DSN", "")


def given_dsn() -> str:
    """The database of `--dsn`; empty where only the environment says which."""
    given: str = click.get_current_context().meta.get(_META + "dsn", "")
    return given


def wants_json() -> bool:
    return bool(click.get_current_context().meta.get(_META + "json", False))


def conninfo() -> str:
    """The database that the user chose, with the name of the command, and an end to waiting for a connection."""
    given = conninfo_to_dict(dsn())
    defaults: dict[str, str] = {"fallback_application_name": "pgbackfill"}
    if "connect_timeout" not in given and "PGCONNECT_TIMEOUT" not in os.environ:
        defaults["connect_timeout"] = "10"
    return make_conninfo(dsn(), **defaults)


@contextmanager
def connect(*, autocommit: bool = False) -> Iterator[psycopg.Connection]:
    """A connection whose transaction is committed at the end, or rolled back after an error."""
    with psycopg.connect(conninfo(), autocommit=autocommit) as conn:
        yield conn


def _read_duration(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """A duration as PostgreSQL's lock_timeout takes it."""
    if not re.fullmatch(r" *\d{1,9}(\.\d+)? *(us|ms|s|min|h|d) *", value):
        raise click.BadParameter(f"{value!r} is no duration, such as 500ms, 5s or 1min")
    return value


def _read_schema(ctx: click.Context, param: click.Parameter, value: str) -> str:
    if not value or any(character in value for character in "'$%\0"):
        raise click.BadParameter("a schema without quotes, $ and % in its name")
    return value


schema_option = click.option(
    "--schema",
    default="public",
    show_default=True,
    callback=_read_schema,
    help="The schema of Airflow's tables (Airflow's sql_alchemy_schema).",
)
lock_timeout_option = click.option(
    "--lock-timeout",
    default="5s",
    show_default=True,
    metavar="DURATION",
    callback=_read_duration,
    help="How long a step waits for a lock before it gives up and changes nothing.",
)


def read_date(ctx: click.Context, param: click.Parameter, value: str) -> datetime:
    """An ISO 8601 date or time; one without an offset is UTC, as in Airflow."""
    try:
        parsed = datetime.fromisoformat(value.replace("Z", "+00:00"))  # Python 3.10 knows no Z
    except ValueError as exc:
        raise click.BadParameter(
            f"{value!r} is no ISO 8601 date, such as 2026-01-31, 2026-01-31T06:00 or 2026-01-31T06:00+02:00"
        ) from exc
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=timezone.utc)


def read_json(ctx: click.Context, param: click.Parameter, value: str | TextIO | None) -> Any:
    """A JSON value, or a file that holds one."""
    if value is None:
        return None
    try:
        return json.loads(value if isinstance(value, str) else value.read())
    except ValueError as exc:  # no JSON, or no UTF-8
        raise click.BadParameter(f"is no JSON: {exc}") from exc
