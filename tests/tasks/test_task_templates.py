"""The task instances that a run of a serialized DAG starts with. Airflow's own rows are compared in tests/airflow."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from psycopg import Connection
from support.dags import create, register, set_dag_attributes, set_tasks


def weights(conn: Connection[Any], *tasks: dict[str, Any]) -> dict[str, int]:
    register(conn)
    set_tasks(conn, "daily", *tasks)
    create(conn, last="2026-01-01")
    return dict(conn.execute("select task_id, priority_weight from task_instance").fetchall())


def chain(rule: str) -> list[dict[str, Any]]:
    """a >> (b, c) >> d, weights 1, 2, 4, 8."""
    down = {"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []}
    return [
        {"task_id": t, "priority_weight": w, "weight_rule": rule, "downstream_task_ids": down[t]}
        for t, w in zip("abcd", (1, 2, 4, 8), strict=True)
    ]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("absolute", {"a": 1, "b": 2, "c": 4, "d": 8}),
        ("downstream", {"a": 15, "b": 10, "c": 12, "d": 8}),  # d counts once for a, though two paths lead to it
        ("upstream", {"a": 1, "b": 3, "c": 5, "d": 15}),
    ],
)
def test_priority_weights(conn: Connection[Any], rule: str, expected: dict[str, int]) -> None:
    assert weights(conn, *chain(rule)) == expected


def test_the_default_rule_is_downstream(conn: Connection[Any]) -> None:
    tasks = [{k: v for k, v in t.items() if k != "weight_rule"} for t in chain("x")]
    assert weights(conn, *tasks)["a"] == 15


def test_weights_stay_within_an_integer(conn: Connection[Any]) -> None:
    huge = [
        {"task_id": "a", "priority_weight": 2_000_000_000, "downstream_task_ids": ["b"]},
        {"task_id": "b", "priority_weight": 2_000_000_000},
    ]
    assert weights(conn, *huge) == {"a": 2_147_483_647, "b": 2_000_000_000}


@pytest.mark.parametrize(
    ("expand_input", "expected"),
    [
        ({"type": "dict-of-lists", "value": {"__type": "dict", "__var": {"x": [1, 2, 3]}}}, [0, 1, 2]),
        ({"type": "dict-of-lists", "value": {"__type": "dict", "__var": {"x": [1, 2], "y": [1, 2]}}}, [0, 1, 2, 3]),
        (
            {
                "type": "dict-of-lists",
                "value": {"__type": "dict", "__var": {"x": {"__type": "dict", "__var": {"a": 1, "b": 2}}}},
            },
            [0, 1],
        ),
        (
            {"type": "dict-of-lists", "value": {"__type": "dict", "__var": {"x": {"__type": "tuple", "__var": [7]}}}},
            [0],
        ),
        ({"type": "dict-of-lists", "value": {"__type": "dict", "__var": {"x": []}}}, [-1]),
        (
            {
                "type": "dict-of-lists",
                "value": {"__type": "dict", "__var": {"x": [1], "y": {"__type": "xcomref", "__var": {}}}},
            },
            [-1],
        ),
        (
            {
                "type": "list-of-dicts",
                "value": [{"__type": "dict", "__var": {"x": 1}}, {"__type": "dict", "__var": {"x": 2}}],
            },
            [0, 1],
        ),
        ({"type": "list-of-dicts", "value": {"__type": "xcomref", "__var": {}}}, [-1]),
    ],
)
def test_mapped_tasks(conn: Connection[Any], expand_input: dict[str, Any], expected: list[int]) -> None:
    register(conn)
    set_tasks(
        conn,
        "daily",
        {
            "task_id": "m",
            "_is_mapped": True,
            "_expand_input_attr": "expand_input",
            "expand_input": expand_input,
            "partial_kwargs": {"retries": 4, "pool": "p"},
        },
    )
    create(conn, last="2026-01-01")
    rows = conn.execute("select map_index, max_tries, pool from task_instance order by 1").fetchall()
    assert rows == [(index, 4, "p") for index in expected]


def test_a_mapped_task_group_repeats_its_tasks(conn: Connection[Any]) -> None:
    register(conn)
    lists = {"type": "dict-of-lists", "value": {"__type": "dict", "__var": {"x": [1, 2, 3]}}}
    set_tasks(
        conn,
        "daily",
        {"task_id": "g.plain"},
        {
            "task_id": "g.mapped",
            "_is_mapped": True,
            "_expand_input_attr": "expand_input",
            "expand_input": {"type": "dict-of-lists", "value": {"__type": "dict", "__var": {"y": [1, 2]}}},
        },
        {"task_id": "outside"},
    )
    group = {
        "is_mapped": True,
        "expand_input": lists,
        "children": {"plain": ["operator", "g.plain"], "mapped": ["operator", "g.mapped"]},
    }
    set_dag_attributes(
        conn, "daily", task_group={"children": {"g": ["taskgroup", group], "outside": ["operator", "outside"]}}
    )
    create(conn, last="2026-01-01")
    counts = conn.execute(
        "select task_id, count(*), min(map_index) from task_instance group by 1 order by 1"
    ).fetchall()
    assert counts == [("g.mapped", 6, 0), ("g.plain", 3, 0), ("outside", 1, -1)]


def test_defaults_and_own_values(conn: Connection[Any]) -> None:
    register(conn)
    set_tasks(
        conn,
        "daily",
        {"task_id": "plain"},
        {
            "task_id": "own",
            "retries": 2,
            "pool": "p",
            "pool_slots": 3,
            "queue": "q",
            "executor": "e",
            "_task_display_name": "Own",
            "_operator_name": "@task",
        },
    )
    conn.execute(
        "update serialized_dag set data = data || %s::jsonb",
        [json.dumps({"client_defaults": {"tasks": {"queue": "configured", "retries": 9}}})],
    )
    create(conn, last="2026-01-01")
    rows = conn.execute(
        "select task_id, max_tries, pool, pool_slots, queue, executor, task_display_name, operator, custom_operator_name, executor_config, hostname, try_number, state "
        "from task_instance order by 1"
    ).fetchall()
    empty_dict = b"\x80\x05}\x94."
    assert rows == [
        ("own", 2, "p", 3, "q", "e", "Own", "EmptyOperator", "@task", empty_dict, "", 0, None),
        (
            "plain",
            9,
            "default_pool",
            1,
            "configured",
            None,
            "plain",
            "EmptyOperator",
            "EmptyOperator",
            empty_dict,
            "",
            0,
            None,
        ),
    ]


@pytest.mark.parametrize(
    "task", [{"weight_rule": "my.company.Heavy"}, {"executor_config": {"__type": "dict", "__var": {"x": 1}}}]
)
def test_what_cannot_be_written_is_refused_by_name(conn: Connection[Any], task: dict[str, Any]) -> None:
    register(conn)
    set_tasks(conn, "daily", {"task_id": "odd", **task})
    with pytest.raises(psycopg.Error) as error:
        create(conn, last="2026-01-01")
    assert error.value.sqlstate == "PB014"
    assert '"odd"' in str(error.value)


def test_an_executor_config_that_airflow_wrote_once_is_taken_over(conn: Connection[Any]) -> None:
    register(conn)
    set_tasks(conn, "daily", {"task_id": "odd"})
    create(conn, last="2026-01-01")
    conn.execute(r"update task_instance set executor_config = '\x8005abcd'")
    set_tasks(conn, "daily", {"task_id": "odd", "executor_config": {"__type": "dict", "__var": {"x": 1}}})
    conn.execute("select from pgbackfill.cancel_backfill(1)")
    create(conn, first="2026-01-02", last="2026-01-02")
    assert conn.execute(r"select count(*) from task_instance where executor_config = '\x8005abcd'").fetchone() == (2,)


def test_ids_are_version_7_uuids_of_now(conn: Connection[Any]) -> None:
    row = conn.execute(
        """
        select (substr(id::text, 15, 1), substr(id::text, 20, 1) between '8' and 'b'),
          abs(('x' || replace(left(id::text, 13), '-', ''))::bit(48)::bigint - extract(epoch from clock_timestamp()) * 1000) < 60000
        from (select pgbackfill._uuid7() as id) u
        """
    ).fetchone()
    assert row == (("7", "t"), True) or row == (("7", True), True)


def test_ids_and_traces_differ_though_the_session_sets_its_seed(conn: Connection[Any]) -> None:
    made = []
    for _ in range(2):
        conn.execute("select setseed(0.5)")
        made += conn.execute(
            """
            select pgbackfill._uuid7(), pgbackfill._new_context_carrier(pgbackfill._release_rules(), null) -> '__var' ->> 'traceparent'
            from generate_series(1, 5000)
            """
        ).fetchall()
    ids, traces = zip(*made, strict=True)
    assert len(set(ids)) == len(set(traces)) == 10_000
    assert all(re.fullmatch("00-[0-9a-f]{32}-[0-9a-f]{16}-00", trace) for trace in traces)


def test_ids_and_traces_of_two_sessions_with_one_seed_differ(
    conn: Connection[Any], connect: Callable[..., Connection[Any]]
) -> None:
    """Whatever the clock says: by what follows it."""
    drawn: list[str] = []
    for session in (conn, connect()):
        session.execute("select setseed(0.5)")
        drawn += [
            end
            for row in session.execute(
                """
                select right(pgbackfill._uuid7()::text, 17), substr(traceparent, 20, 33)
                from (
                  select pgbackfill._new_context_carrier(pgbackfill._release_rules(), null) -> '__var' ->> 'traceparent' as traceparent
                  from generate_series(1, 1000)
                ) t
                """
            )
            for end in row
        ]
    assert len(set(drawn)) == len(drawn) == 4000


def test_a_deep_and_wide_dag_is_no_burden(conn: Connection[Any]) -> None:
    """25 fully connected layers of 20 tasks: the weights of the first layer sum over all the others."""
    layers = [[f"t{layer}_{n}" for n in range(20)] for layer in range(25)]
    tasks = [
        {"task_id": task, "downstream_task_ids": below}
        for layer, below in zip(layers, [*layers[1:], []], strict=True)
        for task in layer
    ]
    conn.execute("set statement_timeout = '30s'")  # a join over all edges in each step took minutes
    found = weights(conn, *tasks)
    assert found["t0_0"] == 1 + 24 * 20
    assert found["t24_0"] == 1
