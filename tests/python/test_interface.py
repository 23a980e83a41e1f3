"""The wrappers and the functions of the database have the same names, parameters and columns."""

from __future__ import annotations

import inspect
import subprocess
import sys
from dataclasses import fields
from typing import Any

import pgbackfill
import pytest
from pgbackfill import DEFAULT, aio
from psycopg import Connection

ROWS = {
    "backfill_progress_state": pgbackfill.BackfillProgress,
    "backfill_state": pgbackfill.BackfillState,
    "dag_run_info": pgbackfill.DagRunInfo,
    "dag_run_state": pgbackfill.DagRunState,
    "event": pgbackfill.Event,
    "planned_slot": pgbackfill.PlannedSlot,
    "registered_dag": pgbackfill.RegisteredDag,
}
# What the wrapper calls a schedule of any type.
SCHEDULES = dict.fromkeys(("crons", "every", "dates", "timetable"), "schedule")
READERS = {"list_backfills", "get_backfill", "backfill_progress", "backfill_dag_runs"}


def functions_of(module: Any) -> dict[str, Any]:
    """The wrappers of a module, which are its functions that take a connection."""
    return {
        n: f for n, f in vars(module).items() if inspect.isfunction(f) and "conn" in inspect.signature(f).parameters
    }


def test_one_wrapper_per_function_with_its_parameters(conn: Connection[Any]) -> None:
    rows = conn.execute(
        """
        select p.proname, p.proargnames[:p.pronargs], p.pronargdefaults, t.typname
        from pg_proc p
        join pg_type t on t.oid = p.prorettype
        where p.pronamespace = 'pgbackfill'::regnamespace and p.proname not like '\\_%'
        """
    ).fetchall()
    wrappers = {name: f for name, f in functions_of(pgbackfill).items() if name not in READERS}
    assert {name for name, *_ in rows} == wrappers.keys()
    for name, row_type in {(name, row_type) for name, *_, row_type in rows}:
        signatures = [
            ([SCHEDULES.get(p, p) if name == "register_dag" else p for p in parameters or []], defaults)
            for other, parameters, defaults, _ in rows
            if other == name
        ]
        conn_parameter, *own = inspect.signature(wrappers[name]).parameters.values()
        assert conn_parameter.name == "conn"
        # One signature, but for register_dag: there the wrapper has what any of them has.
        assert {p.name for p in own} == {p for parameters, _ in signatures for p in parameters}, name
        assert len(signatures) > 1 or [p.name for p in own] == signatures[0][0], name
        optional = [p for p in own if p.default is DEFAULT]
        assert {p.name for p in optional} == {
            p for parameters, n in signatures for p in parameters[len(parameters) - n :]
        }
        assert all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in optional), name
        returned = str(inspect.signature(wrappers[name]).return_annotation)
        assert returned.removeprefix("list[").removesuffix("]") == ROWS[row_type].__name__, name


@pytest.mark.parametrize("row_type", ROWS)
def test_the_fields_are_the_columns(conn: Connection[Any], row_type: str) -> None:
    columns = conn.execute(
        """
        select a.attname
        from pg_attribute a
        where a.attrelid = ('pgbackfill.' || %s)::regclass and a.attnum > 0 and not a.attisdropped
        order by a.attnum
        """,
        [row_type],
    ).fetchall()
    assert [f.name for f in fields(ROWS[row_type])] == [name for (name,) in columns]


def test_the_asynchronous_functions_are_the_same() -> None:
    blocking = functions_of(pgbackfill)
    awaited = {name: f for name, f in functions_of(aio).items() if not name.startswith("_")}
    assert blocking.keys() == awaited.keys()
    for name, function in blocking.items():
        assert inspect.signature(function) == inspect.signature(awaited[name])
        assert inspect.getdoc(function) == inspect.getdoc(awaited[name])


def test_every_public_name_is_exported_and_documented() -> None:
    for name in pgbackfill.__all__:
        assert inspect.getdoc(getattr(pgbackfill, name)), name
    assert functions_of(pgbackfill).keys() <= set(pgbackfill.__all__)


def test_sqlalchemy_and_the_command_are_not_imported_before_they_are_needed() -> None:
    code = (
        "import sys, pgbackfill, pgbackfill.aio; print({'sqlalchemy', 'alembic', 'click', 'rich'} & sys.modules.keys())"
    )
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert printed.stdout.strip() == "set()"
