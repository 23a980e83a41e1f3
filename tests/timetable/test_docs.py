"""What docs/timetables.md shows can be run as it is."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from psycopg import Connection

DOCS = Path(__file__).resolve().parents[2] / "docs" / "timetables.md"


def test_its_sql(conn: Connection[Any]) -> None:
    blocks = re.findall(r"^```sql\n(.*?)^```", DOCS.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    slots, registrations, grant = blocks

    assert len(conn.execute(slots).fetchall()) == 4
    conn.execute(registrations)
    assert conn.execute("select count(*) from dag").fetchone() == (7,)

    conn.execute("create role backfiller")
    try:
        conn.execute(grant)
        granted = conn.execute(
            """
            select bool_and(has_function_privilege('backfiller', p.oid, 'execute')) from pg_proc p
            where p.pronamespace = 'pgbackfill'::regnamespace and p.proname = 'register_dag'
            """
        ).fetchone()
        assert granted == (True,)
    finally:
        conn.execute("drop owned by backfiller; drop role backfiller")
