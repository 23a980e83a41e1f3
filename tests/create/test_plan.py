"""A dry run lists exactly what the creation then does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from psycopg import Connection
from support.dags import create, finish_runs, register, set_dag_attributes
from support.plans import rows_of_plans, send_plans
from timetable.cases import PARTITION

STATES = ["success", "failed", "running", "queued", "success", "failed"]


@pytest.fixture
def dag(conn: Connection[Any]) -> str:
    """A DAG with runs of every state on 1 to 6 January 2026, and none after."""
    register(conn)
    backfill_id = create(conn, first="2026-01-01", last="2026-01-06")
    finish_runs(conn, backfill_id)
    conn.execute("select from pgbackfill.mark_backfills_complete()")
    for day, state in enumerate(STATES, start=1):
        conn.execute(
            "update dag_run set state = %s where logical_date = make_timestamptz(2026, 1, %s, 0, 0, 0, 'UTC')",
            [state, day],
        )
    return "daily"


EXPECTED = {
    "none": [
        ("skip", "already exists"),
        ("skip", "already exists"),
        ("skip", "in flight"),
        ("skip", "in flight"),
        ("skip", "already exists"),
        ("skip", "already exists"),
        ("create", None),
        ("create", None),
    ],
    "failed": [
        ("skip", "already exists"),
        ("clear", None),
        ("skip", "in flight"),
        ("skip", "in flight"),
        ("skip", "already exists"),
        ("clear", None),
        ("create", None),
        ("create", None),
    ],
    "completed": [
        ("clear", None),
        ("clear", None),
        ("skip", "in flight"),
        ("skip", "in flight"),
        ("clear", None),
        ("clear", None),
        ("create", None),
        ("create", None),
    ],
}


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("behavior", list(EXPECTED))
def test_the_plan_and_the_creation_agree(conn: Connection[Any], dag: str, behavior: str, backwards: bool) -> None:
    expected = EXPECTED[behavior][::-1] if backwards else EXPECTED[behavior]
    plan = conn.execute(
        """
        select sort_ordinal, logical_date, action, exception_reason, run_id, dag_run_id
        from pgbackfill.plan_backfill('daily', '2026-01-01 UTC', '2026-01-08 UTC', %s, %s)
        """,
        [backwards, behavior],
    ).fetchall()
    assert [(row[2], row[3]) for row in plan] == expected
    assert [row[0] for row in plan] == list(range(1, 9))
    dates = [row[1] for row in plan]
    assert dates == sorted(dates, reverse=backwards)

    backfill_id = create(conn, last="2026-01-08", reprocess_behavior=behavior, run_backwards=backwards)
    slots = conn.execute(
        "select sort_ordinal, logical_date, exception_reason, run_id from pgbackfill.backfill_dag_runs where backfill_id = %s",
        [backfill_id],
    ).fetchall()
    assert slots == [(o, d, reason, run_id if action != "skip" else None) for o, d, action, reason, run_id, _ in plan]
    counts = conn.execute(
        "select slots_created, slots_cleared, slots_skipped from pgbackfill.backfills where id = %s", [backfill_id]
    ).fetchone()
    actions = [action for action, _ in expected]
    assert counts == tuple(actions.count(a) for a in ("create", "clear", "skip"))


def test_a_dry_run_writes_and_locks_nothing(
    conn: Connection[Any], connect: Callable[..., Connection[Any]], dag: str
) -> None:
    other = connect()
    with other.transaction():
        other.execute("set transaction read only")
        other.execute(
            "select from pgbackfill.plan_backfill('daily', '2026-01-01', '2026-01-08', reprocess_behavior => 'completed')"
        )
        locks = other.execute(
            "select count(*) from pg_locks where pid = pg_backend_pid() and mode <> 'AccessShareLock' and locktype = 'relation'"
        ).fetchone()
        assert locks == (0,)


def test_a_dry_run_has_the_defaults_of_creation(conn: Connection[Any]) -> None:
    different = conn.execute(
        """
        select name, string_agg(coalesce(standard, 'none'), ' / ' order by proname)
        from (
          select p.proname, a.name, pg_get_function_arg_default(p.oid, a.position::integer) as standard
          from pg_proc p
          cross join unnest(p.proargnames[:p.pronargs]) with ordinality as a(name, position)
          where p.oid::regproc in ('pgbackfill.create_backfill'::regproc, 'pgbackfill.plan_backfill'::regproc)
        ) d
        group by name
        having count(*) = 2 and count(distinct coalesce(standard, 'none')) > 1
        """
    ).fetchall()
    assert different == []


def test_a_slot_counts_only_once_its_interval_has_ended(conn: Connection[Any]) -> None:
    conn.execute("select from pgbackfill.register_dag('d', '0 0 * * *', create_cron_data_intervals => true)")
    conn.execute(
        "create or replace function pgbackfill._now() returns timestamptz language sql as $$ select timestamptz '2026-01-03 12:00 UTC' $$"
    )
    days = conn.execute(
        "select extract(day from logical_date at time zone 'UTC')::int from pgbackfill.dag_run_infos('d', '2026-01-01 UTC', '2026-01-09 UTC')"
    ).fetchall()
    assert [d for (d,) in days] == [1, 2]


def test_both_ends_of_the_window_count(conn: Connection[Any]) -> None:
    register(conn)
    rows = conn.execute(
        "select logical_date from pgbackfill.dag_run_infos('daily', '2026-01-01 UTC', '2026-01-03 UTC')"
    ).fetchall()
    assert len(rows) == 3


def test_another_writer_may_be_first(
    conn: Connection[Any], connect: Callable[..., Connection[Any]], wait_until_blocked: Callable[..., None]
) -> None:
    from concurrent.futures import ThreadPoolExecutor

    register(conn)
    scheduler, creator = connect(), connect()
    scheduler.execute("begin")
    scheduler.execute(
        "insert into dag_run (dag_id, run_id, run_type, logical_date, run_after, state) "
        "values ('daily', 'scheduled__x', 'scheduled', '2026-01-02 UTC', '2026-01-02 UTC', 'running')"
    )
    with ThreadPoolExecutor(1) as pool:
        created = pool.submit(create, creator)
        wait_until_blocked(conn, creator.info.backend_pid)
        scheduler.execute("commit")
        backfill_id = created.result()
    slots = conn.execute(
        "select exception_reason from pgbackfill.backfill_dag_runs where backfill_id = %s", [backfill_id]
    ).fetchall()
    assert slots == [(None,), ("in flight",), (None,)]


def test_a_run_to_clear_that_somebody_holds_is_in_flight(
    conn: Connection[Any], connect: Callable[..., Connection[Any]], dag: str
) -> None:
    holder = connect()
    holder.execute("begin")
    holder.execute("select from dag_run where logical_date = '2026-01-01 UTC' for update")
    conn.execute("set lock_timeout = '1ms'")
    backfill_id = create(conn, last="2026-01-02", reprocess_behavior="completed")
    slots = conn.execute(
        "select exception_reason from pgbackfill.backfill_dag_runs where backfill_id = %s", [backfill_id]
    ).fetchall()
    assert slots == [("in flight",), (None,)]
    holder.execute("rollback")


def test_a_run_id_that_another_slot_has_taken_is_in_flight(conn: Connection[Any]) -> None:
    """After a change from intervals to ticks, a cleared run's id is that of the slot after it."""
    conn.execute("select from pgbackfill.register_dag('daily', '0 0 * * *', create_cron_data_intervals => true)")
    first = create(conn, last="2026-01-02")
    finish_runs(conn, first)
    conn.execute("select from pgbackfill.mark_backfills_complete()")
    register(conn)
    create(conn, last="2026-01-04", reprocess_behavior="completed")
    slots = conn.execute(
        "select sort_ordinal, exception_reason from pgbackfill.backfill_dag_runs where backfill_id = 2"
    ).fetchall()
    assert slots == [(1, None), (2, None), (3, "in flight"), (4, None)]


def test_a_far_to_date_costs_nothing(conn: Connection[Any]) -> None:
    register(conn, schedule="* * * * *")
    conn.execute("set statement_timeout = '20s'")  # four thousand million slots would not fit
    row = conn.execute(
        "select slots_created > 0 from pgbackfill.create_backfill('daily', now() - interval '5 minutes', '9999-01-01')"
    ).fetchone()
    assert row == (True,)


def test_a_run_that_succeeded_meanwhile_is_not_cleared(
    conn: Connection[Any], connect: Callable[..., Connection[Any]], dag: str
) -> None:
    plan = "select pgbackfill._plan('daily', pgbackfill._slots(pgbackfill._dag('daily'), '2026-01-02 UTC', '2026-01-02 UTC', false, null), 'failed')"
    with conn.transaction(force_rollback=True):
        conn.execute(f"create temp table planned on commit drop as {plan} as slots")
        connect().execute("update dag_run set state = 'success' where logical_date = '2026-01-02 UTC'")
        action = conn.execute(
            "select (s).action, (s).exception_reason from planned, unnest(pgbackfill._settle_plan(slots, 'failed')) s"
        ).fetchall()
    assert action == [("skip", "in flight")]


@pytest.mark.parametrize("date", ["logical_date", "partition_date"])
@pytest.mark.parametrize("analyzed", [True, False], ids=["analyzed", "never analyzed"])
def test_a_plan_costs_the_same_whatever_the_statistics_say(conn: Connection[Any], analyzed: bool, date: str) -> None:
    register(conn)
    if date == "partition_date":
        fields = {"timezone": "UTC", "run_offset": 0, "key_format": "%F", "run_immediately": False}
        fields["expression"] = "0 0 * * *"
        set_dag_attributes(conn, "daily", timetable={"__type": PARTITION, "__var": fields})
    one_run = ("select pgbackfill.plan_backfill('daily', %s, %s)", ["2026-01-01 UTC", "2026-01-01 UTC"])
    conn.execute(*one_run)  # so that there is a plan from before the history
    conn.execute(
        f"""
        insert into dag_run (dag_id, run_id, run_type, state, {date}, run_after, clear_number)
        select d.dag_id, 'r' || n, 'manual', 'success', timestamptz '2020-01-01 UTC' + n * interval '1 day', now(), 0
        from (select 'daily', 2000 union all select 'other_' || o, 1 from generate_series(1, 300) o) d(dag_id, runs)
        cross join lateral generate_series(0, d.runs - 1) n
        """
    )
    if analyzed:  # most DAGs have one run, so this one seems to have a few
        conn.execute("analyze dag_run")
    send_plans(conn)
    _, rows_of_few = rows_of_plans(conn, *one_run)
    slots, rows = rows_of_plans(
        conn, "select * from pgbackfill.plan_backfill('daily', %s, %s)", ["2020-01-01 UTC", "2025-06-22 UTC"]
    )
    assert slots == 2000
    assert rows < 50 * slots
    assert rows_of_few < 5000
