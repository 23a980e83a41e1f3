"""How a conf is laid over the params of a DAG: as Airflow does it."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest
from params.serialized import call, conf, param, register_with_params, wrapped
from psycopg import Connection
from support.dags import create, finish_runs, register, set_dag_attributes, set_tasks
from support.snapshot import row_counts

INTEGER = {"type": "integer"}


def refusal(conn: Connection[Any], given: str | None, **options: Any) -> psycopg.Error:
    """The error that refuses a creation, once it is sure that a dry run refuses alike and that nothing was written."""
    before = row_counts(conn)
    with pytest.raises(psycopg.Error) as error:
        call(conn, "create_backfill", given, **options)
    with pytest.raises(psycopg.Error) as planned:
        call(conn, "plan_backfill", given, **options)
    assert planned.value.diag.message_primary == error.value.diag.message_primary
    assert row_counts(conn) == before
    return error.value


def test_a_default_holds_where_conf_gives_nothing(conn: Connection[Any]) -> None:
    register_with_params(conn, n=param(INTEGER, 5), s=param({"type": "string"}, "a"))
    call(conn, "create_backfill", conf(s="b"))
    assert conn.execute("select distinct conf::text from dag_run").fetchall() == [('{"s": "b"}',)]


def test_a_param_without_a_default_must_be_given(conn: Connection[Any]) -> None:
    register_with_params(conn, n=param(INTEGER, 5), must=param({"type": "string"}))
    error = refusal(conn, conf(n=1))
    assert error.sqlstate == "PB009"
    assert error.diag.message_primary == (
        'invalid dag_run_conf for DAG "daily": param "must": it has no default, so it must be given'
    )
    assert refusal(conn, "{}").sqlstate == "PB009"
    call(conn, "create_backfill", conf(must="x"))


def test_a_null_conf_is_not_looked_at(conn: Connection[Any]) -> None:
    """As in Airflow: the runs that a null conf clears keep the conf that they have."""
    register_with_params(conn, must=param(INTEGER))
    backfill_id = create(conn, dag_run_conf=conf(must=1))
    finish_runs(conn, backfill_id)
    conn.execute("select from pgbackfill.mark_backfills_complete()")
    call(conn, "create_backfill", None, reprocess_behavior="completed")
    assert conn.execute("select distinct conf::text from dag_run").fetchall() == [('{"must": 1}',)]


def test_null_as_a_value_is_a_value(conn: Connection[Any]) -> None:
    register_with_params(conn, n=param(INTEGER, 5), m=param({"type": ["integer", "null"]}, 5))
    call(conn, "plan_backfill", conf(m=None))
    assert 'param "n": null is not of type integer' in str(refusal(conn, conf(n=None)))


def test_a_key_that_is_no_param_may_hold_anything(conn: Connection[Any]) -> None:
    register_with_params(conn, n=param(INTEGER, 5))
    assert call(conn, "create_backfill", conf(other={"deep": [{"a": None}]}, another=1))


def test_a_value_replaces_a_default_as_a_whole(conn: Connection[Any]) -> None:
    both = {"type": "object", "required": ["a", "b"]}
    register_with_params(conn, o=param(both, wrapped({"a": 1, "b": 2})))
    assert 'param "o": the object lacks "b"' in str(refusal(conn, conf(o={"a": 3})))


def test_the_first_fault_is_the_first_in_the_order_of_the_dag(conn: Connection[Any]) -> None:
    register_with_params(conn, z=param(INTEGER, 1), a=param(INTEGER, 1))
    assert 'param "z"' in str(refusal(conn, conf(a="x", z="y")))


@pytest.mark.parametrize("params", [None, [], {}, "absent"])
def test_a_dag_without_params_takes_any_object(conn: Connection[Any], params: Any) -> None:
    register(conn)
    if params != "absent":
        set_dag_attributes(conn, "daily", params=params)
    assert call(conn, "create_backfill", conf(anything=[1]))


def test_a_param_without_a_schema_takes_anything(conn: Connection[Any]) -> None:
    register_with_params(conn, n=param({}, 5), bare=5, none={**param({}, 5), "schema": None})  # type: ignore[arg-type]
    assert call(conn, "create_backfill", conf(n="x", bare=[1], none={}))


def test_params_of_older_airflows_are_read(conn: Connection[Any]) -> None:
    """An object of params before 2.10; nothing was wrapped in 2.2."""
    register(conn)
    unwrapped = {"__class": "airflow.models.param.Param", "default": 5, "schema": {"type": "integer"}}
    set_dag_attributes(conn, "daily", params={"old": unwrapped, "bare": {"a": 1}})
    call(conn, "plan_backfill", conf(old=1, bare="x"))
    assert 'param "old"' in str(refusal(conn, conf(old="x")))


def test_a_bad_default_is_named_as_such(conn: Connection[Any]) -> None:
    register_with_params(conn, n=param(INTEGER, "five"))
    error = refusal(conn, "{}")
    assert error.sqlstate == "PB009"
    assert 'param "n": "five" is not of type integer' in str(error)
    assert error.diag.message_hint == "dag_run_conf does not give this param: give it, or mend its default in the DAG."
    call(conn, "create_backfill", conf(n=5))


@pytest.mark.parametrize(
    "default",
    [
        {"__type": "tuple", "__var": [1, 2]},
        {"__type": "set", "__var": [1, 2]},
        {"__type": "datetime", "__var": 1767225600.0},
        {"__type": "timedelta", "__var": 5.0},
    ],
    ids=lambda default: str(default["__type"]),
)
def test_a_default_that_is_no_json_is_left_to_airflow(conn: Connection[Any], default: Any) -> None:
    register_with_params(conn, n=param({"title": "Any"}, default))
    assert call(conn, "create_backfill", "{}")


def test_a_wrapped_default_is_unwrapped(conn: Connection[Any]) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "object", "maxProperties": 1}}}}
    register_with_params(conn, n=param(schema, wrapped({"a": [{"b": 1}, {}]})))
    call(conn, "plan_backfill", "{}")
    register_with_params(conn, n=param(schema, wrapped({"a": [{"b": 1, "c": 2}]})))
    assert 'param "n".a[0]: the object has more than 1 members' in str(refusal(conn, "{}"))


def test_a_list_with_objects_beside_others_is_not_unwrapped(conn: Connection[Any]) -> None:
    """Airflow unwraps a list only if each element is wrapped, so it checks the wrapping of the others."""
    schema = {"items": {"required": ["a"], "type": ["object", "integer"]}}
    register_with_params(conn, n=param(schema, wrapped([{"a": 1}, {"a": 2}])))
    call(conn, "plan_backfill", "{}")
    register_with_params(conn, n=param(schema, wrapped([1, {"a": 2}])))
    assert 'param "n"[1]: the object lacks "a"' in str(refusal(conn, "{}"))
    assert call(conn, "create_backfill", conf(n=[1, {"a": 2}]))


def test_airflows_order_of_checks(conn: Connection[Any]) -> None:
    register_with_params(conn, n=param(INTEGER, 5))
    bad = conf(n="x")
    set_tasks(conn, "daily", {"task_id": "a", "depends_on_past": True})
    assert refusal(conn, bad).sqlstate == "PB006"
    assert refusal(conn, bad, reprocess_behavior="completed").sqlstate == "PB009"
    assert refusal(conn, bad, reprocess_behavior="completed", infos="[]").sqlstate == "PB009"
    assert refusal(conn, "[]", reprocess_behavior="completed").diag.message_primary == (
        "dag_run_conf must be a JSON object, not array"
    )


def test_the_rest_of_the_conf_stays_secret_and_the_value_is_cut(conn: Connection[Any]) -> None:
    register_with_params(conn, n=param(INTEGER, 5), o=param({"properties": {"a": INTEGER}}, None))
    for given in (conf(password="hunter2", n="x" * 10_000), conf(o={"a": {"password": "hunter2"}, "b": "hunter2"})):
        error = refusal(conn, given)
        said = " ".join(filter(None, [error.diag.message_primary, error.diag.message_detail, error.diag.message_hint]))
        assert "hunter2" not in said
        assert len(said) < 300


def test_a_message_is_one_line_whatever_the_names(conn: Connection[Any]) -> None:
    odd = 'line\nbreak "quote" %s' + "n" * 500
    register_with_params(conn, **{odd: param({"properties": {odd: INTEGER}}, None)})
    message = str(refusal(conn, json.dumps({odd: {odd: "x"}})).diag.message_primary)
    assert "\n" not in message
    assert r'param "line\nbreak \"quote\" %snnn' in message
    assert len(message) < 400


def test_a_number_that_python_reads_as_infinite_is_refused(conn: Connection[Any]) -> None:
    register_with_params(conn, n=param({"type": "number"}, 5))
    assert 'param "n": a number is out of the range of a double' in str(refusal(conn, '{"n": 1e400}'))
