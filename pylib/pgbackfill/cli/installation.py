"""What of pgbackfill is in a database, part by part."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg.rows import DictRow, dict_row

from pgbackfill.cli.host import exists, find_host
from pgbackfill.resources import INDEXES, functions, views
from pgbackfill.resources import triggers as guard_triggers

BELOW_THE_COLUMN = "0002"


def look(conn: psycopg.Connection, schema: str, revision: str | None = None) -> dict[str, Any]:
    """Every part and its state; `sound` when none is missing, invalid or disabled.

    The column is `not yet` where it is not there and `revision` is below the one that adds it.
    """
    with conn.cursor(row_factory=dict_row) as cursor:
        server = cursor.execute(
            "select current_database() as database, session_user as user, current_setting('server_version') as version"
        ).fetchone()
        column = _column(cursor, schema, revision)
        indexes = _indexes(cursor, schema)
        triggers = _triggers(cursor, schema)
        installed = _functions_and_views(cursor)
    return {
        "server": {**(server or {}), "host": conn.info.host, "port": conn.info.port},
        "host": find_host(conn, schema),
        "column": column,
        "indexes": indexes,
        "triggers": triggers,
        "functions_and_views": installed,
        "sound": all(
            part["state"] in ("valid", "enabled", "installed") for part in (column, *indexes, *triggers, *installed)
        ),
        "active_backfills": _active_backfills(conn),
    }


def how_to_start_over(host: dict[str, Any]) -> str:
    """The hint when `backfill` is there no more, or without its column."""
    if host["kind"] == "airflow":  # as after `airflow db reset`: what pgbackfill remembers is not of these tables
        return "They were made anew: pgbackfill uninstall, then pgbackfill migrate, and grant again."
    if host["kind"] == "empty":
        return (
            "They are gone: pgbackfill uninstall. With an Airflow, airflow db migrate; "
            "then pgbackfill migrate, and grant again."
        )
    return (
        f"backfill lost its column: go below it and come back (alembic: downgrade {BELOW_THE_COLUMN}, upgrade head),"
        " and grant again what was granted on functions and views."
    )


def _column(cursor: psycopg.Cursor[DictRow], schema: str, revision: str | None) -> dict[str, Any]:
    found = cursor.execute(
        """
        select 'installed' as state
        from pg_attribute a join pg_class c on c.oid = a.attrelid
        where c.relnamespace = to_regnamespace(quote_ident(%s)) and c.relname = 'backfill'
          and a.attname = 'initialized_at' and not a.attisdropped
        """,
        [schema],
    ).fetchone()
    missing = "missing" if (revision or "") > BELOW_THE_COLUMN else "not yet"
    return {"name": "initialized_at", "state": found["state"] if found else missing}


def _indexes(cursor: psycopg.Cursor[DictRow], schema: str) -> list[DictRow]:
    return cursor.execute(
        """
        select
          n.name,
          case when i.indexrelid is null then 'missing' when i.indisvalid then 'valid' else 'invalid' end as state
        from unnest(%s::text[]) with ordinality as n(name, position)
        left join pg_class c on c.relname = n.name and c.relnamespace = to_regnamespace(quote_ident(%s))
        left join pg_index i on i.indexrelid = c.oid
        order by n.position
        """,
        [list(INDEXES), schema],
    ).fetchall()


def _triggers(cursor: psycopg.Cursor[DictRow], schema: str) -> list[DictRow]:
    return cursor.execute(
        """
        select
          n.name,
          case
            when t.oid is null then 'missing' when t.tgenabled in ('O', 'A') then 'enabled' else 'disabled'
          end as state
        from unnest(%s::text[]) with ordinality as n(name, position)
        left join (
          pg_trigger t join pg_class c on c.oid = t.tgrelid and c.relnamespace = to_regnamespace(quote_ident(%s))
        ) on t.tgname = n.name
        order by n.position
        """,
        [guard_triggers(), schema],
    ).fetchall()


def _functions_and_views(cursor: psycopg.Cursor[DictRow]) -> list[DictRow]:
    return cursor.execute(
        """
        select
          n.name,
          case
            when n.signatures > (
              select count(*) from pg_proc p
              where p.pronamespace = to_regnamespace('pgbackfill') and p.proname = n.name
            ) then 'missing'
            else 'installed'
          end as state
        from unnest(%s::text[], %s::integer[]) as n(name, signatures)
        union all
        select v.name, case when to_regclass('pgbackfill.' || v.name) is null then 'missing' else 'installed' end
        from unnest(%s::text[]) as v(name)
        order by 1
        """,
        [list(functions().keys()), list(functions().values()), views()],
    ).fetchall()


def _active_backfills(conn: psycopg.Connection) -> dict[str, int] | None:
    """How many there are by status; None where they cannot be read."""
    if not exists(conn, "pgbackfill", "active_backfills"):
        return {}
    try:
        with conn.transaction():  # what fails in it is undone alone
            rows = conn.execute("select b.status, count(*) from pgbackfill.active_backfills b group by b.status")
            return dict(rows.fetchall())
    except (
        psycopg.errors.UndefinedTable,
        psycopg.errors.UndefinedColumn,
        psycopg.errors.InsufficientPrivilege,  # the right to read every table is not one to execute
    ):
        return None
