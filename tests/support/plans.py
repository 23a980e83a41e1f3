"""What statements cost, read off their plans."""

from __future__ import annotations

import json
from typing import Any

from psycopg import Connection
from psycopg.errors import Diagnostic


def send_plans(conn: Connection[Any]) -> None:
    """From now on the connection is sent the plan of every statement, those inside functions too."""
    conn.execute("load 'auto_explain'")
    for name, value in {
        "auto_explain.log_min_duration": "0",
        "auto_explain.log_analyze": "on",
        "auto_explain.log_timing": "off",
        "auto_explain.log_nested_statements": "on",
        "auto_explain.log_format": "json",
        "client_min_messages": "log",
    }.items():
        conn.execute("select set_config(%s, %s, false)", [name, value])


def rows_of_plans(conn: Connection[Any], statement: str, parameters: list[Any]) -> tuple[int, int]:
    """How many rows a statement returns, and how many all nodes of all plans made for them."""
    plans: list[dict[str, Any]] = []

    def keep(diag: Diagnostic) -> None:
        _, _, plan = str(diag.message_primary).partition("plan:\n")
        plans.append(json.loads(plan)["Plan"])

    conn.add_notice_handler(keep)
    try:
        returned = conn.execute(statement, parameters).rowcount
    finally:
        conn.remove_notice_handler(keep)
    return returned, sum(map(_rows_of_node, plans))


def _rows_of_node(node: dict[str, Any]) -> int:
    own = float(node["Actual Rows"]) * float(node["Actual Loops"])
    return round(own) + sum(map(_rows_of_node, node.get("Plans", [])))
