"""Everything that pgbackfill and Airflow do to backfills, all at once and at random: no deadlock, and every rule holds.

The time is `PGBACKFILL_DEADLOCK_SECONDS`, by default the two minutes in which a fault has shown itself each time;
`PGBACKFILL_DEADLOCK_SEED` repeats the choices of an earlier run, though not how they meet.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

import psycopg
import pytest
from psycopg import Connection
from support import airflow_statements as airflow
from support.dags import register, set_tasks

SECONDS = float(os.environ.get("PGBACKFILL_DEADLOCK_SECONDS", "120"))
SEED = os.environ.get("PGBACKFILL_DEADLOCK_SEED") or str(random.randrange(10**9))
CONNECTIONS = 8
DAGS = ("one", "two", "three", "four")
# After a cancel, two of Airflow's creations may write the runs of one DAG at once. They clear runs in an order that deadlocks,
# with pgbackfill and without: of each run one holds the row, the other its task instances. So these, and only these, take turns.
AIRFLOW_CREATES = {dag_id: threading.Lock() for dag_id in DAGS}
FIRST = datetime(2026, 1, 1, tzinfo=timezone.utc)


@dataclass(frozen=True)
class Caller:
    conn: Connection[Any]
    chance: random.Random

    def call(self, function: str, *arguments: Any) -> int:
        """How many rows the function returned."""
        places = ", ".join(["%s"] * len(arguments))
        return self.conn.execute(f"select from pgbackfill.{function}({places})", arguments).rowcount

    def dag_id(self) -> str:
        return self.chance.choice(DAGS)

    def days(self) -> list[datetime]:
        first, number = self.chance.randrange(10), self.chance.randint(1, 6)
        return [FIRST + timedelta(days=first + n) for n in range(number)]

    def reprocess_behavior(self) -> str:
        return self.chance.choice(("none", "failed", "completed"))

    def backfill_id(self) -> int:
        """One that is active, mostly."""
        ids = [
            r[0] for r in self.conn.execute("select id from backfill order by completed_at desc nulls first limit 5")
        ]
        return int(self.chance.choice(ids)) if ids else 0

    def dag_run_id(self, *states: str) -> int:
        query = "select id from dag_run where state = any (%s) order by random() limit 1"
        row = self.conn.execute(query, [list(states)]).fetchone()
        return int(row[0]) if row else 0

    def linger(self) -> None:
        """Between two statements of a transaction: long enough that others meet it."""
        time.sleep(self.chance.choice((0, 0, 0.002, 0.01)))


def create(caller: Caller) -> bool:
    days = caller.days()
    caller.conn.execute(
        "select from pgbackfill.create_backfill(%s, %s, %s, max_active_runs => %s, run_backwards => %s, "
        "reprocess_behavior => %s, on_failure => %s)",
        [
            caller.dag_id(),
            days[0],
            days[-1],
            caller.chance.randint(1, 4),
            caller.chance.random() < 0.3,
            caller.reprocess_behavior(),
            caller.chance.choice(("continue", "pause", "cancel")),
        ],
    )
    return True


def set_failure_policy(caller: Caller) -> bool:
    return (
        caller.call("set_failure_policy", caller.backfill_id(), caller.chance.choice(("continue", "pause", "cancel")))
        > 0
    )


def cancel(caller: Caller) -> bool:
    return caller.call("cancel_backfill", caller.backfill_id()) > 0


def pause(caller: Caller) -> bool:
    return caller.call("pause_backfill", caller.backfill_id()) > 0


def unpause(caller: Caller) -> bool:
    return caller.call("unpause_backfill", caller.backfill_id()) > 0


def sweep(caller: Caller) -> bool:
    return caller.call("mark_backfills_complete") > 0


def reap(caller: Caller) -> bool:
    return caller.call("reap_abandoned_backfills", caller.chance.choice(("0 seconds", "1 second"))) > 0


def start(caller: Caller) -> bool:
    return caller.call("start_queued_dag_runs", caller.chance.randint(1, 6)) > 0


def finish(caller: Caller) -> bool:
    return caller.call("finish_dag_run", caller.dag_run_id("running"), caller.chance.choice(airflow.FINISHED)) > 0


def airflow_create(caller: Caller) -> bool:
    dag_id, days, reprocess_behavior = caller.dag_id(), caller.days(), caller.reprocess_behavior()
    backfill_id = airflow.insert_backfill(caller.conn, dag_id, days, reprocess_behavior)
    if backfill_id is None or caller.chance.random() < 0.1:  # the creator dies
        return False
    caller.linger()
    with AIRFLOW_CREATES[dag_id]:
        airflow.insert_runs(caller.conn, backfill_id, dag_id, days, reprocess_behavior, caller.linger)
    return True


def airflow_cancel(caller: Caller) -> bool:
    return airflow.cancel(caller.conn, caller.backfill_id(), caller.linger)


def airflow_pause(caller: Caller) -> bool:
    return airflow.set_paused(caller.conn, caller.backfill_id(), True)


def airflow_unpause(caller: Caller) -> bool:
    return airflow.set_paused(caller.conn, caller.backfill_id(), False)


def airflow_sweep(caller: Caller) -> bool:
    return airflow.sweep(caller.conn, caller.linger) > 0


def airflow_promote(caller: Caller) -> bool:
    return airflow.promote(caller.conn, caller.linger) > 0


def airflow_finish(caller: Caller) -> bool:
    return airflow.finish_runs(caller.conn, caller.chance, caller.linger) > 0


def airflow_queue_again(caller: Caller) -> bool:
    run = caller.dag_run_id(*airflow.FINISHED)
    with caller.conn.transaction():
        airflow.queue_again(caller.conn, run)
        caller.linger()
    return run > 0


# Each operation: how often it comes compared with the others, and the refusals that are right.
OPERATIONS: dict[Callable[[Caller], bool], tuple[int, set[str]]] = {
    create: (4, {"PB001"}),
    cancel: (1, {"PB011", "PB012"}),
    pause: (1, {"PB011", "PB012"}),
    unpause: (3, {"PB011", "PB012"}),
    set_failure_policy: (2, {"PB011", "PB012"}),
    sweep: (2, set()),
    reap: (1, set()),
    start: (4, set()),
    finish: (6, {"PB016"}),  # somebody else finished it
    airflow_create: (4, {"23505", "PB012"}),
    airflow_cancel: (1, set()),
    airflow_pause: (1, set()),
    airflow_unpause: (3, set()),
    airflow_sweep: (2, set()),
    airflow_promote: (4, set()),
    airflow_finish: (4, set()),
    airflow_queue_again: (2, set()),
}
SOME_OF_EACH = max(1, int(SECONDS / 10))


def deadlocks(conn: Connection[Any]) -> int:
    conn.execute("select pg_stat_clear_snapshot()")
    row = conn.execute("select deadlocks from pg_stat_database where datname = current_database()").fetchone()
    assert row is not None
    return int(row[0])


def anomalies(conn: Connection[Any]) -> str:
    """Each with what is known about its backfill and its run; empty when there is none."""
    rows = conn.execute(
        """
        select a.anomaly, a.detail, to_jsonb(b), to_jsonb(r),
          (select jsonb_agg(to_jsonb(e) order by e.id) from pgbackfill.event e where e.backfill_id = a.backfill_id)
        from pgbackfill.anomalies a
        left join backfill b on b.id = a.backfill_id
        left join dag_run r on r.id = a.dag_run_id
        """
    ).fetchall()
    return "\n".join("\n  ".join(str(value) for value in row) for row in rows)


@pytest.mark.slow
@pytest.mark.timeout(SECONDS + 180)
def test_no_deadlock_and_no_anomaly(conn: Connection[Any], connect: Callable[..., Connection[Any]]) -> None:
    for dag_id in DAGS:
        register(conn, dag_id)
        set_tasks(conn, dag_id, {"task_id": "task"})
    before = deadlocks(conn)
    over = threading.Event()
    done: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    faults: list[str] = []
    doing: dict[int, str] = {}

    def work(number: int) -> None:
        caller = Caller(
            connect(options="-c deadlock_timeout=100ms -c statement_timeout=60s"), random.Random(f"{SEED} {number}")
        )
        operations, weights = list(OPERATIONS), [weight for weight, _ in OPERATIONS.values()]
        while not over.is_set():
            (operation,) = caller.chance.choices(operations, weights)
            doing[caller.conn.info.backend_pid] = operation.__name__
            try:
                done[operation.__name__] += operation(caller)
            except psycopg.Error as error:
                if error.sqlstate in OPERATIONS[operation][1]:
                    refused[f"{operation.__name__} {error.sqlstate}"] += 1
                else:
                    faults.append(f"{operation.__name__}: {error.sqlstate} {error}\n{doing}")
                    over.set()
        caller.conn.close()

    deadline = time.monotonic() + SECONDS
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        workers = [pool.submit(work, number) for number in range(CONNECTIONS)]
        try:
            while time.monotonic() < deadline and not over.wait(0.5):
                if found := anomalies(conn):
                    faults.append(found)
                    break
        finally:
            over.set()
        for worker in workers:
            worker.result()

    print(f"seed {SEED}\ndone {dict(done)}\nrefused {dict(refused)}")
    assert faults == [], f"seed {SEED}\n" + "\n".join(faults)
    assert anomalies(conn) == "", f"seed {SEED}"
    assert deadlocks(conn) == before, f"seed {SEED}"  # also those that the guard's triggers have caught
    rare = {
        operation.__name__: done[operation.__name__]
        for operation in OPERATIONS
        if done[operation.__name__] < SOME_OF_EACH
    }
    assert rare == {}, f"seed {SEED}: too few to mean anything"
