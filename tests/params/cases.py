"""Random params and confs: schemas of every keyword, values that mostly come near to them, and some that are garbage."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

CONFS = 4

NUMBERS: list[Any] = [
    *(-1, 0, 1, 2, 3, 5, 7, 10, 100, 2**53, 2**53 + 1, 10**20),
    *(0.0, 1.0, 2.0, -1.0, 0.1, 0.2, 0.3, 0.30000000000000004, 0.5, 1.5, 2.5, 1e-7, 5e-324, 9007199254740992.0),
]
STEPS: list[Any] = [1, 2, 3, 7, 1.0, 0.5, 0.1, 0.01, 1e-7, 5e-324, 2**53 + 1]
NAMES = ["a", "b", "ab", "a1", "é", "A", "odd name", "_", ""]
TEXTS = ["", "a", "ab", "aab", "b1", "A-1", "a b", "a\n", "\n", "é", "aé", "😀", "1", "٣", "a.b", "x@y", "\x1f", "[a]"]

FORMATS: dict[str, list[str]] = {
    "date": ["2026-02-28", "2026-02-29", "2024-02-29", "0000-01-01", "2026-1-01", "2026-13-01", "2026-01-01\n", "x"],
    "time": ["12:30:00", "1:2:3", "24:00:00", "12:30", "12:30:60", "12:30:00Z", "٣:00:00", "12:30:00\n"],
    "email": ["a@b", "@", "ab"],
    "idn-email": ["é@b", "é"],
    "ipv4": ["192.0.2.1", "192.0.2.01", "256.1.1.1", "1.2.3", "1.2.3.4.", "1.2.3.4/8", "0.0.0.0", "٣.2.3.4"],
    "ipv6": ["::", "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::1.2.3.4", "::1%eth0", "1::2::3", "12345::", ":::"],
    "uuid": ["12345678-1234-1234-1234-123456789012", "12345678123412341234123456789012", "x", "1234567g-1234-1234-1234-123456789012"],
    "regex": ["a+", "[", "(?P<x>a)", "^a$"],
    "date-time": ["2026-01-01T00:00:00Z", "2026-01-01t00:00:00.5+01:00", "2026-01-01", "x"],
    "duration": ["P1D", "PT15M", "P1W", "P", "P1W2D", "15M"],
    "hostname": ["example.org", "-x", "a"],
    "idn-hostname": ["example", "a..b", "é", "a_b"],
    "uri": ["https://example.org/a", "a b"],
    "multiline": ["a\nb"],
    "no-such-format": ["a"],
}  # fmt: skip

PATTERNS = [
    *("a", "^a", "a$", "^a$", "^$", r"^\d+$", r"\w", r"^\w+$", r"\s", r"\S", r"^\D*$", "^[a-z]+$", "^[^a-z]*$", "[\\w.-]+@"),
    *("^(a|b)+$", "(?:ab?){2}", "^a{2}$", "^a{1,2}b?$", "a{2,}", "^.$", "^.*$", "^(?:a*)*$", "a+?b", "a*?$", r"\.", r"\Aa\Z"),
    *("[-a]", "[a-]", "[.]", r"[\]\[]", r"[\s\d]", "é", "[à-ü]", "^[A-Z][-][0-9]$", "(a|ab)(b1)?$", "x{0}a", "^(a|b|)$"),
]  # fmt: skip
# What PostgreSQL reads differently, or may, and what is no pattern to Python.
FOREIGN_PATTERNS = [
    r"(?i)a",
    r"\bA",
    "(?=a)",
    r"(a)\1",
    "(?P<n>a)",
    "a*+",
    "a{,2}",
    "[[:alpha:]]",
    r"\x41",
    "a{300}",
    "",
    "[]a]",
]
BROKEN_PATTERNS = ["(", "a**", "[b-a]", "*a", "a{2,1}"]

UNKNOWN_KEYWORDS: dict[str, Any] = {
    "$ref": "#",
    "$defs": {},
    "$id": "x",
    "unevaluatedProperties": False,
    "unevaluatedItems": False,
    "contentSchema": {},
    "dependencies": {},
    "nullable": True,
    "divisibleBy": 2,
}
ANNOTATIONS: dict[str, Any] = {
    "title": "A title",
    "description_md": "*x*",
    "section": "Section",
    "values_display": {"a": "A"},
    "examples": ["a", 1, {"b": []}],
    "custom_html_form": "<input>",
    "$comment": "x",
    "readOnly": True,
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "default": {"a": [1]},
}
MALFORMED: dict[str, list[Any]] = {
    "type": ["text", [], ["string", "string"], 1],
    "minimum": ["1", None],
    "multipleOf": [0, -1, "a"],
    "minLength": [-1, 1.5, "a"],
    "required": [True, ["a", "a"], [1]],
    "items": [[{}], 1, None],
    "anyOf": [[], {}],
    "properties": [[], {"a": 1}],
    "pattern": [1],
    "format": [1],
    "title": [1],
    "examples": ["a"],
    "enum": ["a"],
    "uniqueItems": [1],
    "dependentRequired": [{"a": "b"}, {"a": [1]}],
    "not": ["a"],
}


@dataclass(frozen=True)
class Case:
    """The params of a DAG, each with its `schema` and perhaps a `default`, and confs to try on them."""

    params: dict[str, dict[str, Any]]
    confs: list[dict[str, Any]]

    def as_json(self, random: Random) -> str:
        """The case in one line, with some numbers written in more digits than they need."""
        text = json.dumps({"params": self.params, "confs": self.confs})
        return re.sub(
            r"\b0\.[123]\b", lambda n: n[0] + random.choice(["", "0", "0000000000000000", "00000000000000001"]), text
        )


def draw_case(random: Random) -> Case:
    names = random.sample(["p", "q", "odd name", "é"], random.choice([1, 1, 2, 3]))
    params = {name: draw_param(random) for name in names}
    return Case(params, [draw_conf(random, params) for _ in range(CONFS)])


def draw_param(random: Random) -> dict[str, Any]:
    schema = draw_schema(random, 3)
    schema = schema if isinstance(schema, dict) else {}
    schema.pop("default", None)  # Airflow could not read such a DAG: the name is taken
    if random.random() < 0.03:
        return {"schema": schema}  # no default
    return {"schema": schema, "default": draw_value(random, schema)}


def draw_conf(random: Random, params: dict[str, dict[str, Any]]) -> dict[str, Any]:
    conf = {name: draw_value(random, param["schema"]) for name, param in params.items() if random.random() < 0.8}
    return {**conf, "no param": draw_any(random, 2)} if random.random() < 0.1 else conf


def draw_schema(random: Random, depth: int) -> Any:
    if random.random() < 0.03:
        return random.random() < 0.8
    schema: dict[str, Any] = {}
    for draw in random.sample(GROUPS, random.choice([1, 1, 2])):
        schema.update(draw(random, depth))
    if depth > 0 and random.random() < 0.2:
        schema.update(draw_logic(random, depth))
    if random.random() < 0.15:
        schema.update(random.sample(sorted(ANNOTATIONS.items()), 2))
    if random.random() < 0.008:
        schema.update([random.choice(sorted(UNKNOWN_KEYWORDS.items()))])
    if random.random() < 0.008:
        keyword = random.choice(sorted(MALFORMED))
        schema[keyword] = random.choice(MALFORMED[keyword])
    return schema


def draw_type(random: Random, depth: int) -> dict[str, Any]:
    types = ["array", "boolean", "integer", "null", "number", "object", "string"]
    return {"type": random.choice(types) if random.random() < 0.6 else random.sample(types, random.choice([1, 2, 3]))}


def draw_number_keywords(random: Random, depth: int) -> dict[str, Any]:
    keywords = random.sample(
        ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"], random.choice([1, 2])
    )
    schema = {keyword: random.choice(STEPS if keyword == "multipleOf" else NUMBERS) for keyword in keywords}
    return {**({"type": random.choice(["integer", "number"])} if random.random() < 0.7 else {}), **schema}


def draw_string_keywords(random: Random, depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"} if random.random() < 0.7 else {}
    for keyword in random.sample(
        ["minLength", "maxLength", "pattern", "pattern", "format", "format"], random.choice([1, 2])
    ):
        schema[keyword] = {
            "pattern": draw_pattern(random),
            "format": random.choice(sorted(FORMATS)),
        }.get(keyword, random.choice([0, 1, 2, 3, 2.0]))
    return schema


def draw_array_keywords(random: Random, depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "array"} if random.random() < 0.7 else {}
    counts = ["minItems", "maxItems", "minContains", "maxContains"]
    for keyword in random.sample(
        [*counts, "items", "items", "prefixItems", "contains", "uniqueItems"], random.choice([1, 2, 3])
    ):
        if keyword in counts:
            schema[keyword] = random.choice([0, 1, 2, 3])
        elif keyword == "uniqueItems":
            schema[keyword] = random.random() < 0.8
        elif keyword == "prefixItems":
            schema[keyword] = [draw_schema(random, depth - 1) for _ in range(random.choice([1, 2]))]
        else:
            schema[keyword] = draw_schema(random, depth - 1) if depth > 0 else {}
    return schema


def draw_object_keywords(random: Random, depth: int) -> dict[str, Any]:
    def schemas(names: list[str]) -> dict[str, Any]:
        return {name: draw_schema(random, depth - 1) if depth > 0 else {} for name in names}

    def some(names: list[str]) -> list[str]:
        return random.sample(names, random.choice([1, 2]))

    draw: dict[str, Callable[[], Any]] = {
        "properties": lambda: schemas(random.sample(NAMES, random.choice([1, 2, 3]))),
        "required": lambda: some(NAMES),
        "additionalProperties": lambda: schemas(["a"])["a"] if random.random() < 0.5 else random.random() < 0.2,
        "patternProperties": lambda: schemas([draw_pattern(random) for _ in range(random.choice([1, 2]))]),
        "propertyNames": lambda: draw_string_keywords(random, depth),
        "minProperties": lambda: random.choice([0, 1, 2]),
        "maxProperties": lambda: random.choice([0, 1, 2]),
        "dependentRequired": lambda: {name: some(NAMES) for name in some(NAMES)},
        "dependentSchemas": lambda: schemas(some(NAMES)),
    }
    schema: dict[str, Any] = {"type": "object"} if random.random() < 0.7 else {}
    keywords = random.sample(["properties", "properties", *draw], random.choice([1, 2, 3]))
    return {**schema, **{keyword: draw[keyword]() for keyword in keywords}}


def draw_identity(random: Random, depth: int) -> dict[str, Any]:
    if random.random() < 0.3:
        return {"const": draw_any(random, 2)}
    return {"enum": [draw_any(random, 2) for _ in range(random.choice([0, 1, 2, 4, 4]))]}


def draw_logic(random: Random, depth: int) -> dict[str, Any]:
    keyword = random.choice(["allOf", "anyOf", "oneOf", "not", "if"])
    if keyword == "not":
        return {keyword: draw_schema(random, depth - 1)}
    if keyword == "if":
        branches = random.sample(["then", "else"], random.choice([1, 2, 2]))
        return {name: draw_schema(random, depth - 1) for name in ["if", *branches]}
    return {keyword: [draw_schema(random, depth - 1) for _ in range(random.choice([1, 2, 3]))]}


GROUPS = [
    draw_type,
    draw_number_keywords,
    draw_string_keywords,
    draw_array_keywords,
    draw_object_keywords,
    draw_identity,
]


def draw_pattern(random: Random) -> str:
    chance = random.random()
    if chance < 0.03:
        return random.choice(FOREIGN_PATTERNS)
    if chance < 0.04:
        return random.choice(BROKEN_PATTERNS)
    if chance < 0.5:
        return random.choice(PATTERNS)
    return draw_branches(random, 2)


def draw_branches(random: Random, depth: int) -> str:
    """A pattern by the grammar of those that SQL knows."""

    def atom() -> str:
        if depth > 0 and random.random() < 0.3:
            return random.choice(["(%s)", "(?:%s)"]) % draw_branches(random, depth - 1)
        return random.choice(
            ["a", "b", "1", ".", r"\d", r"\w", r"\s", r"\D", "é", "[ab]", "[^a]", r"[\d_]", "-", r"\n"]
        )

    def piece() -> str:
        if random.random() < 0.15:
            return random.choice(["^", "$", r"\A", r"\Z"])
        return atom() + random.choice(["", "", "", "*", "+", "?", "*?", "{2}", "{1,2}", "{0,1}?"])

    return "|".join("".join(piece() for _ in range(random.choice([1, 2, 3]))) for _ in range(random.choice([1, 1, 2])))


def draw_value(random: Random, schema: Any) -> Any:
    """A value that has a fair chance to pass a schema."""
    if not isinstance(schema, dict) or random.random() < 0.05:
        return draw_any(random, 2)
    if isinstance(schema.get("enum"), list) and schema["enum"] and random.random() < 0.8:
        return random.choice(schema["enum"])
    if "const" in schema and random.random() < 0.8:
        return schema["const"]
    for keyword in ("allOf", "anyOf", "oneOf"):
        if isinstance(schema.get(keyword), list) and schema[keyword] and random.random() < 0.5:
            return draw_value(random, random.choice(schema[keyword]))
    return draw_of_type(random, draw_type_for(random, schema), schema)


def draw_type_for(random: Random, schema: dict[str, Any]) -> str:
    types = schema.get("type")
    if isinstance(types, list) and types:
        types = random.choice(types)
    if isinstance(types, str):
        return types
    of_keyword = {
        "minimum": "number",
        "maximum": "number",
        "multipleOf": "number",
        "pattern": "string",
        "format": "string",
    }
    of_keyword |= {"minLength": "string", "maxLength": "string", "items": "array", "contains": "array"}
    of_keyword |= {"prefixItems": "array", "uniqueItems": "array", "minItems": "array"}
    for keyword in schema:
        if keyword in of_keyword:
            return of_keyword[keyword]
    return "object"


def draw_of_type(random: Random, name: str, schema: dict[str, Any]) -> Any:
    if name == "string":
        texts = FORMATS.get(schema.get("format") if isinstance(schema.get("format"), str) else "", TEXTS)  # type: ignore[arg-type]
        return random.choice(texts if random.random() < 0.7 else TEXTS)
    if name in ("number", "integer"):
        return random.choice([n for n in NUMBERS if name == "number" or n == int(n)])
    if name == "array":
        prefix = schema["prefixItems"] if isinstance(schema.get("prefixItems"), list) else []
        inner = schema.get("items", schema.get("contains", {}))
        length = random.choice([0, 1, 2, 2, 3, 4])
        return [draw_value(random, prefix[i] if i < len(prefix) else inner) for i in range(length)]
    if name == "object":
        properties = schema["properties"] if isinstance(schema.get("properties"), dict) else {}
        names = (
            {*properties, *(n for n in schema.get("required", []) if isinstance(n, str))}
            if isinstance(schema.get("required", []), list)
            else properties
        )
        drawn = [n for n in sorted(names) if random.random() < 0.8] + random.sample(NAMES, random.choice([0, 0, 1, 2]))
        return {n: draw_value(random, properties.get(n, schema.get("additionalProperties", {}))) for n in drawn}
    return {"boolean": random.random() < 0.5}.get(name)


def draw_any(random: Random, depth: int) -> Any:
    kind = random.choice(
        ["number", "string", "literal", "array", "object"] if depth > 0 else ["number", "string", "literal"]
    )
    if kind == "number":
        return random.choice(NUMBERS)
    if kind == "string":
        return random.choice(TEXTS)
    if kind == "literal":
        return random.choice([None, True, False])
    if kind == "array":
        return [draw_any(random, depth - 1) for _ in range(random.choice([0, 1, 2, 3]))]
    return {name: draw_any(random, depth - 1) for name in random.sample(NAMES, random.choice([0, 1, 2]))}
