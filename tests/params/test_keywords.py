"""Each keyword that SQL knows takes what Airflow takes and refuses what it refuses, with the path and the reason."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from params.rules import RULES, Rule
from params.serialized import call, param, register_with_params, verdict
from psycopg import Connection
from support.snapshot import row_counts


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_it_takes_and_refuses_what_airflow_does_and_says_where_and_why(conn: Connection[Any], rule: Rule) -> None:
    register_with_params(conn, x=param(rule.schema))
    for value in rule.good:
        assert len(call(conn, "plan_backfill", f'{{"x": {value}}}')) == 3, value

    before = row_counts(conn)
    for value, reason in rule.bad.items():
        with pytest.raises(psycopg.Error) as error:
            call(conn, "create_backfill", f'{{"x": {value}}}')
        message = error.value.diag.message_primary or ""
        assert error.value.sqlstate == "PB009", f"{value}: {message}"
        assert message.startswith(f'invalid dag_run_conf for DAG "daily": param "x"{reason}'), value
        assert error.value.diag.message_hint
        assert "\n" not in message

        with pytest.raises(psycopg.Error) as planned:
            call(conn, "plan_backfill", f'{{"x": {value}}}')
        assert planned.value.diag.message_primary == message
    assert row_counts(conn) == before


def test_every_keyword_that_sql_knows_is_in_the_table(conn: Connection[Any]) -> None:
    def keywords(schema: Any) -> set[str]:
        nested = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else []
        return {*(schema if isinstance(schema, dict) else {}), *(k for inner in nested for k in keywords(inner))}

    source = conn.execute("select prosrc from pg_proc where proname = '_keyword_shape'").fetchone()
    assert source is not None
    used = {keyword for rule in RULES for keyword in keywords(rule.schema)}
    known = {
        word
        for (word,) in conn.execute(
            "select m[1] from regexp_matches(%s, '''([$A-Za-z_]+)''', 'g') m where pgbackfill._keyword_shape(m[1]) is not null",
            [source[0]],
        )
    }
    assert len(known) > 50
    assert known - used == set()


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("extra_float_digits", "-15"),
        ("DateStyle", "German"),
        ("TimeZone", "Pacific/Apia"),
        ("search_path", "pg_temp"),
        ("bytea_output", "escape"),
        ("jit_above_cost", "0"),
    ],
)
def test_no_setting_of_a_session_changes_a_verdict(conn: Connection[Any], setting: str, value: str) -> None:
    conn.execute("select set_config(%s, %s, false)", [setting, value])
    for rule in RULES:
        for text in [*rule.good, *rule.bad]:
            expected = None if text in rule.good else "PB009"
            assert verdict(conn, [["x", param(rule.schema)]], f'{{"x": {text}}}') == expected, f"{rule.schema} {text}"
