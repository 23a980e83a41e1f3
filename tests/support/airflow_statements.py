"""What an unmodified Airflow writes about backfills, as plain SQL in its order and in its transactions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from random import Random
from typing import Any

import psycopg
from psycopg import Connection

FINISHED = ("success", "failed")


def insert_backfill(
    conn: Connection[Any], dag_id: str, days: Sequence[datetime], reprocess_behavior: str
) -> int | None:
    """The first transaction of a creation: the row alone. None: another one is active."""
    with conn.transaction():
        active = conn.execute("select from backfill where dag_id = %s and completed_at is null", [dag_id]).fetchone()
        if active is not None:
            return None
        row = conn.execute(
            """
            insert into backfill
              (dag_id, from_date, to_date, dag_run_conf, is_paused, reprocess_behavior, max_active_runs, created_at, updated_at)
            values (%s, %s, %s, '{}', false, %s, 2, clock_timestamp(), clock_timestamp())
            returning id
            """,
            [dag_id, min(days), max(days), reprocess_behavior],
        ).fetchone()
        assert row is not None
        return int(row[0])


def insert_runs(
    conn: Connection[Any],
    backfill_id: int,
    dag_id: str,
    days: Sequence[datetime],
    reprocess_behavior: str,
    between: Callable[[], None] = lambda: None,
) -> None:
    """The second transaction: run after run with its slot, each in a savepoint."""
    with conn.transaction():
        for sort_ordinal, day in enumerate(days, start=1):
            _insert_run(conn, backfill_id, dag_id, day, sort_ordinal, reprocess_behavior)
            between()


def _insert_run(
    conn: Connection[Any], backfill_id: int, dag_id: str, day: datetime, sort_ordinal: int, reprocess_behavior: str
) -> None:
    def insert_slot(dag_run_id: int | None, exception_reason: str | None = None) -> None:
        conn.execute(
            """
            insert into backfill_dag_run (backfill_id, dag_run_id, exception_reason, logical_date, sort_ordinal)
            values (%s, %s, %s, %s, %s)
            """,
            [backfill_id, dag_run_id, exception_reason, day, sort_ordinal],
        )

    with conn.transaction():
        found = conn.execute(
            "select id, state from dag_run where dag_id = %s and logical_date = %s order by start_date desc nulls first limit 1",
            [dag_id, day],
        ).fetchone()
        if found is not None:
            run, state = found
            if state not in FINISHED:
                insert_slot(None, "in flight")
            elif reprocess_behavior == "none" or (reprocess_behavior == "failed" and state != "failed"):
                insert_slot(None, "already exists")
            else:
                conn.execute(
                    "select from dag_run where id = %s for update skip locked", [run]
                )  # its answer is not used
                _clear_run(conn, run)
                conn.execute(
                    "update dag_run set backfill_id = %s, run_type = 'backfill', triggered_by = 'BACKFILL' where dag_id = %s and logical_date = %s",
                    [backfill_id, dag_id, day],
                )
                insert_slot(run)
            return
    try:
        with conn.transaction():
            inserted = conn.execute(
                """
                insert into dag_run
                  (dag_id, run_id, logical_date, run_type, triggered_by, run_after, state, queued_at, created_at, start_date, backfill_id)
                values (%s, %s, %s, 'backfill', 'BACKFILL', %s, 'queued', clock_timestamp(), clock_timestamp(), clock_timestamp(), %s)
                returning id, run_id
                """,
                [dag_id, f"backfill__{day.isoformat()}", day, day, backfill_id],
            ).fetchone()
            assert inserted is not None
            conn.execute(
                """
                insert into task_instance (id, task_id, dag_id, run_id, try_number, pool, pool_slots)
                values (gen_random_uuid(), 'task', %s, %s, 0, 'default_pool', 1)
                """,
                [dag_id, inserted[1]],
            )
            insert_slot(inserted[0])
    except psycopg.errors.UniqueViolation as error:
        if error.diag.table_name != "dag_run":
            raise
        insert_slot(None, "in flight")


def _clear_run(conn: Connection[Any], run: int) -> None:
    """The task instances first, which a query for the run then flushes; the run after them."""
    conn.execute(
        """
        update task_instance ti set state = null, max_tries = ti.try_number
        from dag_run r where r.id = %s and ti.dag_id = r.dag_id and ti.run_id = r.run_id
        """,
        [run],
    )
    conn.execute("update dag_run set clear_number = clear_number + 1 where id = %s", [run])
    queue_again(conn, run)


def queue_again(conn: Connection[Any], run: int) -> None:
    """What a finished run gets whose state somebody sets to queued."""
    conn.execute(
        """
        update dag_run
        set state = 'queued', queued_at = clock_timestamp(), start_date = null, end_date = null, updated_at = clock_timestamp()
        where id = %s and state in ('success', 'failed')
        """,
        [run],
    )


def cancel(conn: Connection[Any], backfill_id: int, between: Callable[[], None] = lambda: None) -> bool:
    """Three transactions: pause, fail the queued runs, complete. False: it is complete already."""
    found = conn.execute("select is_paused, completed_at from backfill where id = %s", [backfill_id]).fetchone()
    if found is None or found[1] is not None:
        return False
    if not found[0]:
        conn.execute(
            "update backfill set is_paused = true, updated_at = clock_timestamp() where id = %s", [backfill_id]
        )
        between()
    conn.execute(
        """
        update dag_run set state = 'failed', updated_at = clock_timestamp()
        where id in (select dag_run_id from backfill_dag_run where backfill_id = %s) and state = 'queued'
        """,
        [backfill_id],
    )
    between()
    conn.execute(
        "update backfill set completed_at = clock_timestamp(), updated_at = clock_timestamp() where id = %s",
        [backfill_id],
    )
    return True


def set_paused(conn: Connection[Any], backfill_id: int, is_paused: bool) -> bool:
    """False: it is complete, or so already."""
    with conn.transaction():
        found = conn.execute("select is_paused, completed_at from backfill where id = %s", [backfill_id]).fetchone()
        if found is None or found[1] is not None or found[0] is is_paused:
            return False
        conn.execute(
            "update backfill set is_paused = %s, updated_at = clock_timestamp() where id = %s", [is_paused, backfill_id]
        )
        return True


def sweep(conn: Connection[Any], between: Callable[[], None] = lambda: None) -> int:
    """Reads first, writes after; SQLAlchemy writes the rows of one table by their keys. Returns how many it wrote."""
    with conn.transaction():
        ripe = conn.execute(
            """
            select b.id from backfill b
            where b.completed_at is null
              and not exists (select from dag_run r where r.backfill_id = b.id and r.state in ('queued', 'running'))
            order by b.id
            """
        ).fetchall()
        for (backfill_id,) in ripe:
            between()
            conn.execute(
                "update backfill set completed_at = clock_timestamp(), updated_at = clock_timestamp() where id = %s",
                [backfill_id],
            )
        return len(ripe)


def promote(conn: Connection[Any], between: Callable[[], None] = lambda: None) -> int:
    """Locks runs, then their backfills, then counts, then writes; who does not get a lock passes over. Returns how many it started."""
    with conn.transaction():
        runs = conn.execute(
            """
            select r.id, r.backfill_id
            from dag_run r
            join dag d on d.dag_id = r.dag_id and not d.is_paused and not d.is_stale
            left join backfill_dag_run s on s.dag_run_id = r.id and s.backfill_id = r.backfill_id
            left join backfill b on b.id = r.backfill_id
            left join (
              select dag_id, backfill_id, count(id) as num_running from dag_run where state = 'running' group by dag_id, backfill_id
            ) n on n.dag_id = r.dag_id and coalesce(n.backfill_id, -1) = coalesce(r.backfill_id, -1)
            where r.state = 'queued'
              and r.run_after <= now()
              and coalesce(n.num_running, 0) < coalesce(b.max_active_runs, d.max_active_runs)
              and not coalesce(b.is_paused, false)
            order by s.sort_ordinal nulls first, r.last_scheduling_decision nulls first, n.num_running nulls first, r.run_after
            limit 20
            for update of r skip locked
            """
        ).fetchall()
        locked = conn.execute(
            "select id, max_active_runs from backfill where id = any (%s) for update skip locked",
            [[b for _, b in runs]],
        ).fetchall()
        limits: dict[int, int] = dict(locked)
        running: dict[int, int] = dict(
            conn.execute(
                "select backfill_id, count(*) from dag_run where state = 'running' group by backfill_id"
            ).fetchall()
        )
        chosen = []
        for run, backfill_id in runs:
            if running.get(backfill_id, 0) < limits.get(backfill_id, 0):
                running[backfill_id] = running.get(backfill_id, 0) + 1
                chosen.append(run)
        between()
        for run in sorted(chosen):
            conn.execute(
                "update dag_run set state = 'running', start_date = clock_timestamp(), updated_at = clock_timestamp() where id = %s",
                [run],
            )
        return len(chosen)


def finish_runs(conn: Connection[Any], chance: Random, between: Callable[[], None] = lambda: None) -> int:
    """Locks the running runs that are free, and ends some of them, in any order, in one transaction. Returns how many."""
    with conn.transaction():
        runs = [
            r[0] for r in conn.execute("select id from dag_run where state = 'running' limit 20 for update skip locked")
        ]
        chosen = chance.sample(runs, chance.randint(0, len(runs)))
        for run in chosen:
            conn.execute(
                "update dag_run set state = %s, end_date = clock_timestamp(), updated_at = clock_timestamp() where id = %s",
                [chance.choice(FINISHED), run],
            )
            between()
        return len(chosen)
