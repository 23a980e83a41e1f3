"""Where the SQL files and the revisions lie: inside the installed package, or at the root of an editable checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_CHECKOUT = _PACKAGE.parent.parent


def sql_dir() -> Path:
    """The folder of the SQL files, one object per file."""
    return _folder("sql")


def migrations_dir() -> Path:
    """The folder of the Alembic environment and its revisions."""
    return _folder("migrations")


def triggers() -> list[str]:
    """The names of the triggers that the guard puts on Airflow's tables."""
    return sorted(file.stem for file in (sql_dir() / "guard").glob("pgbackfill_*.sql"))


def _folder(name: str) -> Path:
    for parent in (_PACKAGE, _CHECKOUT):
        if (parent / name).is_dir():
            return parent / name
    raise FileNotFoundError(f"pgbackfill is installed without its folder {name}/")
