"""What the triggers on dag_run cost a run that belongs to no backfill, which is nearly every run of an Airflow."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import cycle
from typing import Any

from psycopg import Connection, sql

UPDATES = 20_000
BATCH = 1_000
DAG = "guard_cost"
STATES = ("running", "success", "failed", "queued")


class NoTriggersError(Exception):
    """The database has no trigger of pgbackfill's on dag_run, so there is nothing to measure."""


@dataclass(frozen=True)
class GuardCost:
    """Seconds of so many updates, so many rows in turn with the triggers and without, one sample a round."""

    updates: int
    batch: int
    with_triggers: list[float]
    without_triggers: list[float]


def measure(conn: Connection[Any], rounds: int) -> GuardCost:
    """Updates the same rows of the same table with the triggers enabled and disabled, a thousand rows each in turn."""
    triggers = _triggers(conn)
    runs = _insert_runs(conn)
    batches = [runs[start : start + BATCH] for start in range(0, len(runs), BATCH)]
    states = cycle(STATES)
    seconds: dict[bool, list[float]] = {True: [], False: []}
    for number in range(-1, rounds):  # the first one warms up
        spent = {True: 0.0, False: 0.0}
        for first in (True, False):  # twice, so that either side has updated every row
            conn.execute("vacuum analyze public.dag_run")
            conn.execute("checkpoint")
            state = next(states)
            for batch, enabled in zip(batches, cycle((first, not first))):
                _enable(conn, triggers, enabled)
                spent[enabled] += _update_one_by_one(conn, batch, state)
        if number >= 0:
            for enabled, total in spent.items():
                seconds[enabled].append(total)
    _enable(conn, triggers, True)
    conn.execute("delete from public.dag_run where dag_id = %s", [DAG])
    return GuardCost(UPDATES, BATCH, seconds[True], seconds[False])


def _triggers(conn: Connection[Any]) -> list[str]:
    found = conn.execute(
        """
        select t.tgname from pg_trigger t
        where t.tgrelid = 'public.dag_run'::regclass and not t.tgisinternal and t.tgname like 'pgbackfill%'
        order by t.tgname
        """
    ).fetchall()
    if not found:
        raise NoTriggersError("dag_run has no trigger named pgbackfill...: has the database been migrated?")
    return [name for (name,) in found]


def _insert_runs(conn: Connection[Any]) -> list[int]:
    conn.execute(
        """
        insert into public.dag_run
          (dag_id, run_id, logical_date, run_type, run_after, state, queued_at, clear_number, span_status, conf)
        select %(dag)s, 'scheduled__' || n, d.at, 'scheduled', d.at, 'queued', now(), 0, 'not_started', '{}'
        from generate_series(1, %(updates)s) n
        cross join lateral (select timestamptz '2000-01-01 UTC' + n * interval '1 hour' as at) d
        """,
        {"dag": DAG, "updates": UPDATES},
    )
    return [i for (i,) in conn.execute("select id from public.dag_run where dag_id = %s order by id", [DAG]).fetchall()]


def _enable(conn: Connection[Any], triggers: list[str], enabled: bool) -> None:
    for name in triggers:
        action = sql.SQL("enable" if enabled else "disable")
        conn.execute(sql.SQL("alter table public.dag_run {} trigger {}").format(action, sql.Identifier(name)))


def _update_one_by_one(conn: Connection[Any], runs: list[int], state: str) -> float:
    """As Airflow writes a run's new state: one statement per row, by its primary key; its psycopg2 prepares nothing."""
    statement = "update public.dag_run set state = %s, end_date = now(), updated_at = now() where id = %s"
    with conn.transaction():
        conn.execute(
            statement, [state, runs[0]], prepare=False
        )  # reads the catalog anew, which the switch has made necessary
        start = time.perf_counter()
        for run in runs:
            conn.execute(statement, [state, run], prepare=False)
        return time.perf_counter() - start
