"""Single columns of rows that a creation wrote, changed to another value."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from psycopg import Connection, Rollback

from support.rows import ADDED_COLUMNS, Before, Catalog, written_since

OTHER_VALUES = {
    "integer": "case when {column} = -1 then -2 else -1 end",
    "double precision": "coalesce({column}, 0) + 1",
    "boolean": "not coalesce({column}, false)",
    "timestamp with time zone": "'2001-01-01 UTC'",
    "timestamp without time zone": "'2001-01-01'",
    "uuid": "(select v.id from dag_version v where v.id is distinct from {column} limit 1)",  # known before
    "bytea": r"'\x00'",
    "json": """'{{"another": "value"}}'""",
    "jsonb": """'{{"another": "value"}}'""",
    "character varying": "case when {column} = 'another' then 'yet another' else 'another' end",
    "text": "case when {column} = 'another' then 'yet another' else 'another' end",
}
OTHER_LABEL = "(select v from unnest(enum_range(null::{kind})) v where v is distinct from {column} limit 1)"


@dataclass(frozen=True)
class Mutation:
    table: str
    column: str
    kind: str
    ctid: str
    """Where the row lies."""

    @contextmanager
    def made(self, conn: Connection[Any]) -> Iterator[None]:
        """Change the column, whatever triggers and keys say, for as long as the body runs."""
        value = OTHER_VALUES.get(self.kind, OTHER_LABEL).format(column=f"{self.table}.{self.column}", kind=self.kind)
        with conn.transaction():
            conn.execute("set local session_replication_role = replica")
            changed = conn.execute(f"update {self.table} set {self.column} = {value} where ctid = %s", [self.ctid])
            assert changed.rowcount == 1
            yield
            raise Rollback


def mutations(conn: Connection[Any], before: Before, dag_ids: Collection[str]) -> Iterator[Mutation]:
    """Every column of the first and of the last row that was written for these DAGs in each table."""
    columns = Catalog(conn).columns
    for table, written in written_since(conn, before, dag_ids).items():
        for ctid in {*written[:1], *written[-1:]}:
            for column, kind in columns[table].items():
                if (table, column) not in ADDED_COLUMNS:
                    yield Mutation(table, column, kind, ctid)
