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
    """How many rows a statement returns, and how many all nodes of all plans saw for them."""
    plans: list[dict[str, Any]] = []

    def keep(diag: Diagnostic) -> None:
        _, _, plan = str(diag.message_primary).partition("plan:\n")
        explained = json.loads(plan)
        if not explained["Query Text"].startswith("SELECT 1 FROM ONLY "):  # a foreign key's, which every insert pays
            plans.append(explained["Plan"])

    conn.add_notice_handler(keep)
    try:
        returned = conn.execute(statement, parameters).rowcount
    finally:
        conn.remove_notice_handler(keep)
    return returned, sum(map(_rows_of_node, plans))


def _rows_of_node(node: dict[str, Any]) -> int:
    """Those that a node passed on and those that it looked at in vain."""
    seen = sum(
        float(node.get(key, 0)) for key in ("Actual Rows", "Rows Removed by Filter", "Rows Removed by Join Filter")
    )
    return round(seen * float(node["Actual Loops"])) + sum(map(_rows_of_node, node.get("Plans", [])))
