"""What SQL cannot check is never a pass: PB014 names it, and the param; garbage is no internal error."""

from __future__ import annotations

from random import Random
from typing import Any

import psycopg
import pytest
from params.cases import ANNOTATIONS, MALFORMED, UNKNOWN_KEYWORDS
from params.serialized import call, conf, param, register_with_params, verdict, wrapped
from psycopg import Connection
from support.snapshot import row_counts

FOREIGN_PATTERNS = [
    *("(?i)a", r"\bA", r"\B", "(?=a)", "(?!a)", "(?<=a)b", r"(a)\1", "(?P<n>a)", "(?#x)", "a*+", "a++", "(?>a)", "a{,2}", "a{2"),
    *("[[:alpha:]]", "[[.a.]]", "[[=a=]]", "[]a]", "[a-\\d]", "[\\d-z]", r"\x41", r"\u0041", r"\N{DIGIT ONE}", r"\p{L}", r"\a", r"\y"),
    *("a{300}", "(a{99}){99}", "", "(|a)", "a||b", "***=a", r"\0", "{", "]", "^*", "$+", r"\A?"),
    *("(", ")", "a**", "[b-a]", "*a", "a{2,1}", "[", "\\"),
]  # fmt: skip
UNDECIDED = {
    "date-time": ["2026-01-01", "2026-02-30T00:00:00Z", "2026-01-01 00:00:00Z"],
    "duration": ["P", "1D", "PT", "P1W1D"],
    "hostname": ["a_b", "-a"],
    "idn-hostname": ["é", "a..b"],
    "uri": ["a b", "x"],
    "json-pointer": ["a"],
    "regex": ["(?i)a", "("],
    "time": ["٣:00:00"],
    "uuid": ["12345678-1234-1234-1234-1234567_8901", "+2345678-1234-1234-1234-123456789012"],
    "iri": ["x"],
    "iri-reference": ["x"],
    "uri-reference": ["x"],
    "uri-template": ["x"],
    "relative-json-pointer": ["0"],
    "color": ["red"],
}
CERTAIN = {
    "date-time": ["2024-02-29T23:59:59Z", "2026-01-01t00:00:00.25+01:00"],
    "duration": ["P1D", "PT15M", "P1Y2M3DT4H5M6S", "P2W", "PT36H"],
    "hostname": ["example.org", "a-b.example.org"],
    "idn-hostname": ["example.org", "localhost"],
    "uri": ["https://example.org/a/b", "s3://bucket"],
    "json-pointer": ["", "/a/0"],
}


def refusal(conn: Connection[Any], given: str, function: str = "create_backfill") -> psycopg.Error:
    before = row_counts(conn)
    with pytest.raises(psycopg.Error) as error:
        call(conn, function, given)
    assert row_counts(conn) == before
    return error.value


@pytest.mark.parametrize(
    "keyword", sorted({*UNKNOWN_KEYWORDS, "$anchor", "$dynamicRef", "definitions", "Type", "minlength"})
)
def test_an_unknown_keyword(conn: Connection[Any], keyword: str) -> None:
    schema: dict[str, Any] = {keyword: UNKNOWN_KEYWORDS.get(keyword, "x")}
    deep_inside = {"properties": {"a": {"anyOf": [True, {"items": schema}]}}}
    for place, where in [(schema, '"n"'), (deep_inside, '"n".properties.a.anyOf[1].items')]:
        register_with_params(conn, n=param(place, 1), m=param({}, 1))
        for function in ("create_backfill", "plan_backfill"):
            error = refusal(conn, conf(n=1), function)
            assert error.sqlstate == "PB014"
            assert error.diag.message_primary == (
                f'SQL cannot check param {where}: its schema has the keyword "{keyword}"'
            )
            assert "Leave this param out" in (error.diag.message_hint or "")
    assert call(conn, "create_backfill", conf(m=2)), "its default was checked when the DAG was parsed"


def test_patterns_that_postgresql_may_read_differently(conn: Connection[Any]) -> None:
    for pattern in FOREIGN_PATTERNS:
        for schema in ({"pattern": pattern}, {"patternProperties": {pattern: True}}):
            register_with_params(conn, n=param(schema, 1))
            error = refusal(conn, conf(n="a"))
            assert error.sqlstate == "PB014", pattern
            assert 'param "n"' in str(error)
            assert "its schema has the pattern" in str(error)


def test_a_class_of_characters_meets_other_scripts(conn: Connection[Any]) -> None:
    for pattern in [r"^\d+$", r"\w", r"\s", r"\D", r"\W", r"\S", r"[\d]"]:
        register_with_params(conn, n=param({"pattern": pattern}, "1"))
        assert refusal(conn, conf(n="٣")).sqlstate == "PB014", pattern


@pytest.mark.parametrize("name", list(UNDECIDED))
def test_a_format_that_depends_on_the_installation(conn: Connection[Any], name: str) -> None:
    register_with_params(conn, n=param({"format": name}, 1))
    for text in UNDECIDED[name]:
        error = refusal(conn, conf(n=text))
        assert error.sqlstate == "PB014", text
        assert f'may or may not be a "{name}" to Airflow' in str(error)
    for given in [*CERTAIN.get(name, []), 5, None]:
        call(conn, "plan_backfill", conf(n=given))


@pytest.mark.parametrize(
    "dialect", ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema#"]
)
def test_another_dialect(conn: Connection[Any], dialect: str) -> None:
    register_with_params(conn, n=param({"$schema": dialect}, 1))
    assert 'its "$schema" is another than 2020-12' in str(refusal(conn, conf(n=1)))


@pytest.mark.parametrize("default", [{"__type": "tuple", "__var": ["a"]}, {"__type": "set", "__var": []}, {"a": 1}])
def test_a_schema_that_is_no_json(conn: Connection[Any], default: Any) -> None:
    described = param({"enum": []}, 1)
    described["schema"]["__var"]["enum"] = default
    register_with_params(conn, n=described)
    assert refusal(conn, conf(n=1)).sqlstate == "PB014"


@pytest.mark.parametrize("keyword", sorted(MALFORMED))
def test_a_malformed_schema(conn: Connection[Any], keyword: str) -> None:
    """Airflow refuses every conf of such a DAG, the empty one too."""
    for value in MALFORMED[keyword]:
        for schema in ({keyword: value}, {"allOf": [{"not": {keyword: value}}]}):
            register_with_params(conn, n=param(schema, 1))
            for given in ("{}", conf(n=1)):
                error = refusal(conn, given)
                assert error.sqlstate == "PB009", schema
                assert str(error).startswith('the schema of param "n"'), schema
                assert "The fault is in the DAG" in (error.diag.message_hint or "")


@pytest.mark.parametrize("keyword", ["not", "items", "additionalProperties"])
@pytest.mark.parametrize("levels", [33, 200])
def test_a_schema_that_is_nested_too_deep(conn: Connection[Any], keyword: str, levels: int) -> None:
    schema: Any = {"type": "integer"}
    for _ in range(levels):
        schema = {keyword: schema}
    register_with_params(conn, n=param(schema, 1))
    error = refusal(conn, conf(n=1))
    assert error.sqlstate == "PB014"
    assert "deep" in str(error)


def test_a_value_may_be_nested_deep(conn: Connection[Any]) -> None:
    register_with_params(conn, n=param({"items": {"type": "array"}, "minItems": 1}, [[]]))
    call(conn, "plan_backfill", '{"n": ' + "[" * 1000 + "]" * 1000 + "}")


def test_garbage_is_refused_or_ignored(conn: Connection[Any]) -> None:
    random = Random(1)
    keywords = [
        *UNKNOWN_KEYWORDS,
        *ANNOTATIONS,
        *MALFORMED,
        "__type",
        "__var",
        "__class",
        "schema",
        "prefixItems",
        "if",
        "then",
    ]
    leaves = [
        None,
        True,
        0,
        1.5,
        -1,
        10**30,
        1e-320,
        "",
        "a",
        "dict",
        "__type",
        "__class",
        "arg_not_set",
        "string",
        "(",
        "^a",
    ]

    def garbage(depth: int) -> Any:
        chance = random.random()
        if depth == 0 or chance < 0.3:
            return random.choice(leaves)
        if chance < 0.5:
            return [garbage(depth - 1) for _ in range(random.choice([0, 1, 2, 2]))]
        if chance < 0.6:
            return {"__type": random.choice(["dict", "set", "arg_not_set", 1]), "__var": garbage(depth - 1)}
        return {random.choice(keywords): garbage(depth - 1) for _ in range(random.choice([0, 1, 2, 3]))}

    outcomes = set()
    for _ in range(2000):
        schema = garbage(3)
        described = {"__class": "x", "default": garbage(3), "schema": random.choice([schema, wrapped(schema)])}
        params = garbage(3) if random.random() < 0.2 else [[random.choice(["n", 1, None]), described]]
        given = conf(n=garbage(3)) if random.random() < 0.8 else "{}"
        outcomes.add(verdict(conn, params, given))
    assert outcomes == {None, "PB009", "PB014"}
