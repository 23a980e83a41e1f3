"""The examples of docs/python.md run as they stand there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from psycopg import Connection
from support.dags import register

TEXT = (Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")


def test_the_examples(dsn: str, conn: Connection[Any]) -> None:
    register(conn, "sales")
    create, work, follow = re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    seen: list[Any] = []
    names: dict[str, Any] = {"do": lambda *run: seen.append(run)}
    for example in (create, work, follow):
        exec(example.replace('"dbname=airflow"', repr(dsn)), names)
    assert [dag_id for dag_id, *_ in seen] == ["sales"] * 90
    assert conn.execute("select state, count(*) from dag_run group by state").fetchall() == [("success", 90)]
    assert conn.execute("select status from pgbackfill.backfills").fetchall() == [("completed",)]
    assert conn.execute("select max(id) from pgbackfill.event").fetchone() == (names["last_seen"],)
