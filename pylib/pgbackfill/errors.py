"""What can go wrong, one exception per SQLSTATE: the code decides, the text is for people.

`docs/errors.md` is the same table for readers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar


class PgBackfillError(Exception):
    """A call was refused by the database, and nothing was written.

    `message`, `detail` and `hint` are the server's; the driver's exception is `__cause__`. The transaction is in the
    state that the driver left it in: failed, unless the caller had set a savepoint.
    """

    sqlstate: ClassVar[str]
    http_status: ClassVar[int | None] = None
    """What a service would answer."""

    def __init__(self, message: str, *, detail: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.detail = detail
        self.hint = hint


class AlreadyRunningBackfill(PgBackfillError):
    """The DAG already has an active backfill; `detail` names its id."""

    sqlstate = "PB001"
    http_status = 409


class DagNotFound(PgBackfillError):
    """No DAG of this id has been serialized."""

    sqlstate = "PB002"
    http_status = 404


class DagNonPeriodicSchedule(PgBackfillError):
    """The DAG's timetable has no periodic slots (none, once, continuous, assets)."""

    sqlstate = "PB003"
    http_status = 422


class DagRunTypeNotAllowed(PgBackfillError):
    """The DAG's `allowed_run_types` leaves backfill runs out."""

    sqlstate = "PB004"
    http_status = 400


class InvalidBackfillDirection(PgBackfillError):
    """Backwards, though a task depends on its past."""

    sqlstate = "PB005"
    http_status = 422


class InvalidReprocessBehavior(PgBackfillError):
    """A task depends on its past, so existing runs must be reprocessed (`failed` or `completed`)."""

    sqlstate = "PB006"
    http_status = 422


class InvalidBackfillDate(PgBackfillError):
    """The window lies wholly in the future."""

    sqlstate = "PB007"
    http_status = 422


class InvalidBackfillDateRange(PgBackfillError):
    """The window is not finite, or ends before it begins."""

    sqlstate = "PB008"
    http_status = 422


class InvalidBackfillConf(PgBackfillError):
    """`dag_run_conf` is not what the DAG accepts."""

    sqlstate = "PB009"
    http_status = 422


class NoBackfillRunsToCreate(PgBackfillError):
    """The window holds no slot."""

    sqlstate = "PB010"
    http_status = 422


class BackfillNotFound(PgBackfillError):
    """No backfill has this id."""

    sqlstate = "PB011"
    http_status = 404


class BackfillAlreadyCompleted(PgBackfillError):
    """The backfill is complete or cancelled and cannot change any more."""

    sqlstate = "PB012"
    http_status = 409


class UnsupportedTimetable(PgBackfillError):
    """SQL cannot evaluate the DAG's timetable; pass the slots as `infos`."""

    sqlstate = "PB013"
    http_status = 422


class UnsupportedDag(PgBackfillError):
    """The DAG uses a feature whose task instances cannot be written from SQL; the message names it."""

    sqlstate = "PB014"
    http_status = 422


class IdempotencyKeyReused(PgBackfillError):
    """The idempotency key was used before, with another request."""

    sqlstate = "PB015"
    http_status = 409


class InvalidArgument(PgBackfillError):
    """A null, a number that is not positive, an unknown word, or JSON of the wrong shape."""

    sqlstate = "PB016"
    http_status = 422


class DuplicateActiveBackfills(PgBackfillError):
    """A migration found several active backfills of one DAG; `detail` lists them."""

    sqlstate = "PB020"


class BackfillLocked(PgBackfillError):
    """Another session holds the rows for longer than this one's `lock_timeout`; try again."""

    sqlstate = "55P03"
    http_status = 503


BY_SQLSTATE: dict[str, type[PgBackfillError]] = {c.sqlstate: c for c in PgBackfillError.__subclasses__()}


def translate(exc: BaseException) -> PgBackfillError | None:
    """The exception of this package for a driver's; None where its SQLSTATE is not one of ours.

    Takes psycopg's, psycopg2's and asyncpg's exceptions, bare or wrapped by SQLAlchemy as `orig`.
    """
    original = getattr(exc, "orig", None) or exc
    sqlstate = getattr(original, "sqlstate", None) or getattr(original, "pgcode", None)
    kind = BY_SQLSTATE.get(sqlstate or "")
    if kind is None:
        return None
    if diagnostics := getattr(original, "diag", None):
        message, detail, hint = diagnostics.message_primary, diagnostics.message_detail, diagnostics.message_hint
    else:  # asyncpg's own has the fields; SQLAlchemy wraps that once more
        fields = original if hasattr(original, "hint") else original.__cause__
        message, detail, hint = (getattr(fields, name, None) for name in ("message", "detail", "hint"))
    return kind(message or str(original), detail=detail, hint=hint)


@contextmanager
def translated() -> Iterator[None]:
    """Raise this package's exception from the driver's; let every other one pass."""
    try:
        yield
    except Exception as exc:
        translation = translate(exc)
        if translation is None:
            raise
        raise translation from exc
