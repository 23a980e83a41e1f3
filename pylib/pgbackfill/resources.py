"""Where the SQL files and the revisions lie: inside the installed package, or at the root of an editable checkout."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

_FUNCTION = re.compile(r"^create or replace function pgbackfill\.(\w+)", re.MULTILINE)
_VIEW = re.compile(r"^create or replace view pgbackfill\.(\w+)", re.MULTILINE)
_PACKAGE = Path(__file__).resolve().parent
_CHECKOUT = _PACKAGE.parent.parent


def sql_dir() -> Path:
    """The folder of the SQL files, one object per file."""
    return _folder("sql")


def migrations_dir() -> Path:
    """The folder of the Alembic environment and its revisions."""
    return _folder("migrations")


# The indexes on Airflow's tables: their statements, less the name of the index. Partial, because most rows belong to no
# active backfill, or to none, and theirs need not be kept.
INDEXES = {
    "pgbackfill_one_active_backfill": (
        "create unique index concurrently {} on public.backfill (dag_id) where completed_at is null"
    ),
    "pgbackfill_dag_run_backfill_id": (
        "create index concurrently {} on public.dag_run (backfill_id, state) where backfill_id is not null"
    ),
    "pgbackfill_backfill_dag_run_dag_run_id": (
        "create index concurrently {} on public.backfill_dag_run (dag_run_id) where dag_run_id is not null"
    ),
}


def triggers() -> list[str]:
    """The names of the triggers that the guard puts on Airflow's tables."""
    return sorted(file.stem for file in (sql_dir() / "guard").glob("pgbackfill_*.sql"))


# What the schema holds besides the views.
TABLES = ("alembic_version", "event", "failure_policy", "host", "host_table", "idempotency_key")


def functions() -> Counter[str]:
    """The names of all functions, and how many signatures each has."""
    return _names(_FUNCTION)


def views() -> list[str]:
    """The names of all views."""
    return sorted(_names(_VIEW))


def _names(pattern: re.Pattern[str]) -> Counter[str]:
    return Counter(n for f in sql_dir().rglob("*.sql") for n in pattern.findall(f.read_text(encoding="utf-8")))


def _folder(name: str) -> Path:
    for parent in (_PACKAGE, _CHECKOUT):
        if (parent / name).is_dir():
            return parent / name
    raise FileNotFoundError(f"pgbackfill is installed without its folder {name}/")
