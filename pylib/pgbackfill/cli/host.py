"""Whose tables a database has, and in which schema."""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg import sql

from pgbackfill.cli.problems import Problem, Stop

# The revision of Airflow's own tables, and the release that brought it: `_REVISION_HEADS_MAP` in Airflow's utils/db.py.
AIRFLOW_RELEASES = {
    "29ce7909c52b": "3.0.0",
    "fe199e1abd77": "3.0.3",
    "cc92b33c6709": "3.1.0",
    "509b94a1042d": "3.1.8",
    "1d6611b6ab7c": "3.2.0",
    "d2f4e1b3c5a7": "3.3.0",
}


def find_host(conn: psycopg.Connection, schema: str) -> dict[str, Any]:
    """Whose tables are in `schema`: Airflow's, those that pgbackfill made, or none."""
    if not exists(conn, schema, "backfill"):
        return {"kind": "empty", "schema": schema}
    if (
        exists(conn, "pgbackfill", "host_table")
        and _one(conn, "select exists (select from pgbackfill.host_table)")
        and not exists(conn, schema, "slot_pool")  # else an Airflow has made the tables anew
    ):
        return {"kind": "standalone", "schema": schema}
    revision = None
    if exists(conn, schema, "alembic_version"):
        revision = _one(
            conn, sql.SQL("select min(version_num) from {}").format(sql.Identifier(schema, "alembic_version"))
        )
    return {
        "kind": "airflow",
        "schema": schema,
        "airflow_revision": revision,
        "airflow_version": AIRFLOW_RELEASES.get(revision or ""),
    }


def describe_host(host: dict[str, Any]) -> str:
    where = f"in schema {host['schema']}"
    if host["kind"] == "empty":
        return f"none {where}"
    if host["kind"] == "standalone":
        return f"of Airflow's shape, made by pgbackfill, {where}"
    if host["airflow_version"]:
        return f"of Airflow {host['airflow_version']} or later (its revision {host['airflow_revision']}), {where}"
    if host["airflow_revision"]:
        return f"of an Airflow not known here (its revision {host['airflow_revision']}), {where}"
    return f"of Airflow, {where}"


def refuse_wrong_schema(conn: psycopg.Connection, schema: str) -> None:
    """Stop when the tables that are meant are in another schema than `schema`, and say in which."""
    elsewhere = _one(
        conn,
        """
        select coalesce(
          -- where pgbackfill is installed
          (
            select c.relnamespace::regnamespace::text
            from pg_trigger t
            join pg_class c on c.oid = t.tgrelid
            where t.tgname = 'pgbackfill_guard_update'
            order by c.relnamespace = to_regnamespace(quote_ident(%(schema)s)) desc
            limit 1
          ),
          -- where Airflow is, if it is not where it was said to be
          (
            select quote_ident(min(b.schemaname))
            from pg_tables b
            join pg_tables r on r.schemaname = b.schemaname and r.tablename = 'dag_run'
            where b.tablename = 'backfill' and to_regclass(format('%%I.backfill', %(schema)s::text)) is null
          ),
          quote_ident(%(schema)s)
        )
        """,
        {"schema": schema},
    )
    if elsewhere != _one(conn, "select quote_ident(%s)", [schema]):
        raise Stop(Problem(f"Airflow's tables are in the schema {elsewhere}, not in {schema}", f"--schema {elsewhere}"))


def exists(conn: psycopg.Connection, schema: str, relation: str) -> bool:
    return bool(_one(conn, "select to_regclass(format('%%I.%%I', %s::text, %s::text)) is not null", [schema, relation]))


def _one(conn: psycopg.Connection, query: Any, parameters: Any = None) -> Any:
    row = conn.execute(query, parameters).fetchone()
    return row[0] if row else None
