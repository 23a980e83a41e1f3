"""Params as Airflow serializes them into a DAG."""

from __future__ import annotations

import json
from typing import Any

import psycopg
from psycopg import Connection
from support.dags import register, set_dag_attributes

NOT_SET = {"__type": "arg_not_set", "__var": None}


def wrapped(value: Any) -> Any:
    """A JSON value with the wrapping that Airflow puts around every object."""
    if isinstance(value, dict):
        return {"__type": "dict", "__var": {name: wrapped(member) for name, member in value.items()}}
    return [wrapped(element) for element in value] if isinstance(value, list) else value


def param(schema: dict[str, Any], default: Any = NOT_SET) -> dict[str, Any]:
    """A param of that schema; `default` is taken as it stands."""
    return {
        "__class": "airflow.sdk.definitions.param.Param",
        "default": default,
        "description": None,
        "schema": wrapped(schema),
        "source": None,
    }


def register_with_params(conn: Connection[Any], **params: dict[str, Any]) -> None:
    """The DAG `daily` with params."""
    register(conn)
    set_dag_attributes(conn, "daily", params=[[name, described] for name, described in params.items()])


def call(conn: Connection[Any], function: str, conf: str | None, **options: Any) -> list[tuple[Any, ...]]:
    """Plan or create a backfill of three days of `daily` with a conf, given as JSON text."""
    named = "".join(f", {name} => %s" for name in options)
    return conn.execute(
        f"select * from pgbackfill.{function}('daily', '2026-01-01Z', '2026-01-03Z', dag_run_conf => %s{named})",
        [conf, *options.values()],
    ).fetchall()


def conf(**values: Any) -> str:
    return json.dumps(values)


def verdict(conn: Connection[Any], params: Any, given: str) -> str | None:
    """The SQLSTATE that refuses a conf for serialized params, or None; the whole error if it is not one line."""
    try:
        conn.execute(
            "select pgbackfill._check_conf(jsonb_populate_record(null::pgbackfill.serialized_dag, %s), %s)",
            [json.dumps({"dag_id": "daily", "dag": {"params": params}}), given],
        )
    except psycopg.Error as error:
        return error.sqlstate if "\n" not in str(error.diag.message_primary) else str(error)
    return None
