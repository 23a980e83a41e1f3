"""The rows of two databases, compared table by table: all that may differ between what Airflow writes and what SQL writes.

`Before` is taken of the database of which both are copies. What it holds must be the same to the letter in both. What a creation
wrote is compared after these replacements, and there are no others:

- an id drawn from a sequence or by chance becomes `new`, and a reference to such a row becomes that row's natural key;
- the random end of the run_id of a partition's new run is left out;
- a time later than `Before` becomes `now`, and a duration up to now becomes `until now`;
- a new trace id or span id becomes `new`, or says that it is that of the task instance's run;
- unixname becomes `creator` where it is the user that the creating process ran as (Airflow: the operating system's, SQL: the session's);
- triggering_user_name of a cleared run is on Airflow's side replaced by that of the backfill: Airflow leaves the name of whoever
  asked for the run before (#62126), pgbackfill writes who asks now;
- the column that pgbackfill adds, backfill.initialized_at, is left out.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import cached_property
from getpass import getuser
from typing import Any
from uuid import UUID

from psycopg import Connection, Cursor, sql

Key = tuple[Any, ...]
Row = dict[str, Any]
Rows = dict[str, dict[Key, Row]]
"""table -> key -> column -> value"""

ADDED_COLUMNS = {("backfill", "initialized_at")}
NATURAL_KEYS = {
    "backfill": ("id",),
    "dag_run": ("dag_id", "run_id"),
    "backfill_dag_run": ("backfill_id", "sort_ordinal"),
    "task_instance": ("dag_id", "run_id", "task_id", "map_index"),
    "task_instance_history": ("dag_id", "run_id", "task_id", "map_index", "try_number"),
}
TRACE_OR_SPAN = re.compile(r"\b(?:[0-9a-f]{32}|[0-9a-f]{16})\b")


@dataclass(frozen=True)
class Difference:
    table: str
    key: Key
    column: str
    theirs: Any
    ours: Any

    def __str__(self) -> str:
        return f"{self.table} {self.key} {self.column}: theirs {self.theirs!r}, ours {self.ours!r}"


@dataclass(frozen=True)
class Before:
    """What was there before a creation: the time, the newest transaction, and the ids of which any other is new."""

    at: datetime
    transaction: int
    last_ids: Mapping[str, int]
    uuids: frozenset[UUID]
    traces: frozenset[str]

    @classmethod
    def of(cls, conn: Connection[Any]) -> Before:
        ((at, transaction),) = conn.execute("select clock_timestamp(), pg_current_xact_id()::text::bigint").fetchall()
        last_ids: dict[str, int] = {}
        uuids: set[UUID] = set()
        traces: set[str] = set()
        for table, columns in Catalog(conn).columns.items():
            for column, kind in columns.items():
                if column == "id" and kind == "integer":
                    last_ids[table] = max(_values(conn, table, column), default=0)
                elif kind == "uuid":
                    uuids.update(_values(conn, table, column))
                elif column == "context_carrier":
                    traces.update(
                        t for carrier in _values(conn, table, column) for t in TRACE_OR_SPAN.findall(str(carrier))
                    )
        return cls(at, transaction, last_ids, frozenset(uuids), frozenset(traces))

    def knows(self, table: str, row_id: int) -> bool:
        return row_id <= self.last_ids[table]


class Catalog:
    """The tables of Airflow's schema."""

    def __init__(self, conn: Connection[Any]) -> None:
        self._conn = conn

    @cached_property
    def columns(self) -> dict[str, dict[str, str]]:
        """table -> column -> its type"""
        found: dict[str, dict[str, str]] = {}
        for table, column, kind in self._conn.execute(
            """
            select c.relname, a.attname, format_type(a.atttypid, null)
            from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
            order by 1, a.attnum
            """
        ):
            found.setdefault(table, {})[column] = kind
        return found

    @cached_property
    def primary_keys(self) -> dict[str, tuple[str, ...]]:
        return {
            table: tuple(columns)
            for table, columns in self._conn.execute(
                """
                select c.relname, array_agg(a.attname::text order by a.attnum)
                from pg_constraint o
                join pg_class c on c.oid = o.conrelid
                join pg_attribute a on a.attrelid = c.oid and a.attnum = any (o.conkey)
                where o.contype = 'p' and c.relnamespace = 'public'::regnamespace
                group by 1
                """
            )
        }

    @cached_property
    def references(self) -> dict[tuple[str, str], tuple[str, str]]:
        """(table, column) -> the (table, column) to which its values refer"""
        return {
            (table, column): (target, target_column)
            for table, column, target, target_column in self._conn.execute(
                """
                select c.relname, a.attname, t.relname, b.attname
                from pg_constraint o
                join pg_class c on c.oid = o.conrelid
                join pg_attribute a on a.attrelid = o.conrelid and a.attnum = o.conkey[1]
                join pg_class t on t.oid = o.confrelid
                join pg_attribute b on b.attrelid = o.confrelid and b.attnum = o.confkey[1]
                where o.contype = 'f' and cardinality(o.conkey) = 1 and c.relnamespace = 'public'::regnamespace
                order by 1, a.attnum
                """
            )
        }

    def of_dags(self, table: str) -> str:
        """The condition for rows that belong to the DAGs of the parameter `dag_ids`, or refer to such rows."""
        if "dag_id" in self.columns[table]:
            return "dag_id = any (%(dag_ids)s)"
        for (source, column), (target, target_column) in self.references.items():
            if source == table and "dag_id" in self.columns[target]:
                return f"{column} in (select {target_column} from {target} where dag_id = any (%(dag_ids)s))"
        return "true"


class Reader:
    """Reads the rows of a database with the replacements made; of some DAGs only, if they are named."""

    def __init__(
        self,
        conn: Connection[Any],
        before: Before,
        *,
        written_by_airflow: bool,
        dag_ids: Collection[str] | None = None,
        catalog: Catalog | None = None,
    ) -> None:
        self._conn = conn
        self._before = before
        self._catalog = catalog or Catalog(conn)
        self._written_by_airflow = written_by_airflow
        self._users = {getuser(), conn.info.user}
        self._dag_ids = None if dag_ids is None else list(dag_ids)

    def rows(self, tables: Collection[str] | None = None) -> Rows:
        """Of all tables, or of those named."""
        return {table: dict(self._keyed_rows(table)) for table in tables or self._catalog.columns}

    def _select(self, table: str, columns: str = "*") -> Cursor[Any]:
        query = f"select {columns} from {table}"
        if self._dag_ids is not None:
            query += f" where {self._catalog.of_dags(table)}"
        return self._conn.cursor().execute(f"{query} order by 1", {"dag_ids": self._dag_ids})

    def _keyed_rows(self, table: str) -> Iterator[tuple[Key, Row]]:
        key_columns = NATURAL_KEYS.get(table) or self._catalog.primary_keys.get(table, ())
        seen: Counter[Key] = Counter()
        selected = self._select(table)
        names = [column.name for column in selected.description or ()]
        for values in selected:
            stored = dict(zip(names, values, strict=True))
            row = {
                column: self._replaced(table, column, stored)
                for column in stored
                if (table, column) not in ADDED_COLUMNS
            }
            key = tuple(str(row[column]) for column in key_columns)
            seen[key] += 1
            yield (key if seen[key] == 1 else (*key, seen[key])), row

    def _replaced(self, table: str, column: str, row: Row) -> Any:
        value = row[column]
        if value is None:
            return None
        target = (table, column) if column == "id" else self._catalog.references.get((table, column))
        if target in self._names:
            return self._names[target].get(value, value)
        if column == "run_id":
            return self._run_ids.get((row.get("dag_id"), value), value)
        if column == "context_carrier":
            return self._carrier(row)
        if column == "duration" and self._lasts_until_now(row):
            return "until now"
        if column == "unixname" and value in self._users:
            return "creator"
        if table == "dag_run" and column == "triggering_user_name":
            return self._who_asked(row)
        return self._without_chance(table, column, value)

    def _lasts_until_now(self, row: Row) -> bool:
        """Whether an attempt ended now, and its duration is the time since its start."""
        start, end = row["start_date"], row["end_date"]
        if start is None or end is None or end <= self._before.at:
            return False
        return bool(abs((end - start).total_seconds() - row["duration"]) < 1e-3)

    def _without_chance(self, table: str, column: str, value: Any) -> Any:
        match value:
            case datetime():
                at = value if value.tzinfo else value.replace(tzinfo=timezone.utc)
                return "now" if at > self._before.at else value
            case UUID():
                return value if value in self._before.uuids else "new"
            case int() if column == "id" and not self._before.knows(table, value):
                return "new"
            case _:
                return value

    def _carrier(self, row: Row) -> str:
        """A trace context, in which a new id says whether it is that of the run."""
        of_the_run = self._traces.get((row.get("dag_id"), row.get("run_id")), "")

        def replaced(found: re.Match[str]) -> str:
            if found[0] in self._before.traces:
                return found[0]
            return "of the run" if found[0] in of_the_run else "new"

        return TRACE_OR_SPAN.sub(replaced, json.dumps(row["context_carrier"], sort_keys=True))

    def _who_asked(self, run: Row) -> Any:
        backfill_id = run["backfill_id"]
        was_cleared = (
            backfill_id is not None
            and not self._before.knows("backfill", backfill_id)
            and self._before.knows("dag_run", run["id"])
        )
        if self._written_by_airflow and was_cleared:
            return self._askers[backfill_id]
        return run["triggering_user_name"]

    @cached_property
    def _names(self) -> dict[tuple[str, str] | None, dict[Any, str]]:
        """The natural keys of new rows, by table and id."""
        backfills = self._select("backfill", "id, dag_id, row_number() over (partition by dag_id order by id)")
        runs = self._select("dag_run", "id, dag_id, run_id")
        tasks = self._select("task_instance", "id, dag_id, run_id, task_id, map_index")
        return {
            ("backfill", "id"): {
                i: f"{dag_id} {number}" for i, dag_id, number in backfills if not self._before.knows("backfill", i)
            },
            ("dag_run", "id"): {
                i: self._run_name(dag_id, run_id) for i, dag_id, run_id in runs if not self._before.knows("dag_run", i)
            },
            ("task_instance", "id"): {
                i: f"{self._run_name(dag_id, run_id)} {task_id} {map_index}"
                for i, dag_id, run_id, task_id, map_index in tasks
                if i not in self._before.uuids
            },
        }

    def _run_name(self, dag_id: str, run_id: str) -> str:
        return f"{dag_id} {self._run_ids.get((dag_id, run_id), run_id)}"

    @cached_property
    def _run_ids(self) -> dict[tuple[Any, str], str]:
        """The run ids of the new runs of partitions, without their random end."""
        if "partition_key" not in self._catalog.columns["dag_run"]:
            return {}
        return {
            (dag_id, run_id): re.sub(r"__\w+$", "__by chance", run_id)
            for i, dag_id, run_id, partition_key in self._select("dag_run", "id, dag_id, run_id, partition_key")
            if partition_key is not None and not self._before.knows("dag_run", i)
        }

    @cached_property
    def _traces(self) -> dict[tuple[Any, Any], str]:
        runs = self._select("dag_run", "dag_id, run_id, context_carrier")
        return {(dag_id, run_id): json.dumps(carrier) for dag_id, run_id, carrier in runs}

    @cached_property
    def _askers(self) -> dict[int, Any]:
        return dict(self._select("backfill", "id, triggering_user_name").fetchall())


def written_since(
    conn: Connection[Any], before: Before, dag_ids: Collection[str] | None = None
) -> dict[str, list[str]]:
    """Where in each table the rows lie that were written since, in their order; of some DAGs only, if they are named."""
    found = {}
    catalog = Catalog(conn)
    for table in catalog.columns:
        condition = "" if dag_ids is None else f"and {catalog.of_dags(table)}"
        rows = conn.execute(
            f"select ctid::text from {table} where xmin::text::bigint > %(since)s {condition} order by ctid",
            {"since": before.transaction, "dag_ids": None if dag_ids is None else list(dag_ids)},
        )
        found[table] = [ctid for (ctid,) in rows]
    return found


def differences(theirs: Rows, ours: Rows) -> list[Difference]:
    return [
        difference for table in sorted(theirs.keys() | ours.keys()) for difference in _differences(table, theirs, ours)
    ]


def _differences(table: str, theirs: Rows, ours: Rows) -> Iterator[Difference]:
    left, right = theirs.get(table, {}), ours.get(table, {})
    for key in sorted(left.keys() | right.keys(), key=str):
        if key not in left or key not in right:
            yield Difference(table, key, "the whole row", left.get(key, "not there"), right.get(key, "not there"))
        elif left[key] != right[key]:
            for column in sorted(left[key].keys() | right[key].keys()):
                a, b = left[key].get(column, "no such column"), right[key].get(column, "no such column")
                if a != b or type(a) is not type(b):
                    yield Difference(table, key, column, a, b)


def _values(conn: Connection[Any], table: str, column: str) -> Iterator[Any]:
    query = sql.SQL("select {column} from {table} where {column} is not null")
    for (value,) in conn.execute(query.format(column=sql.Identifier(column), table=sql.Identifier(table))):
        yield value
