"""The fixed table of JSON Schema keywords: for each schema, values that Airflow takes and values that it refuses.

Values are JSON texts. What differed from Airflow once is in the table.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Rule:
    """A schema of the param `x`; `bad` gives for each value what the message says after `param "x"`."""

    schema: dict[str, Any]
    good: list[str]
    bad: dict[str, str]
    reason: str = ""

    @property
    def name(self) -> str:
        return self.reason or ", ".join(f"{k} {v}" for k, v in self.schema.items())[:60]

    def as_json(self) -> str:
        """A case whose confs are the good values and then the bad ones."""
        confs = ", ".join(f'{{"x": {value}}}' for value in [*self.good, *self.bad])
        return f'{{"params": {json.dumps({"x": {"schema": self.schema}})}, "confs": [{confs}]}}'


LONG = "9" * 60

RULES = [
    Rule({}, ["null", "1", '"a"', "[]", '{"a": {"b": 1}}'], {}),
    # type
    Rule(
        {"type": "integer"},
        ["1", "-1", "1.0", "1e2", "0", LONG],
        {
            "1.5": ": 1.5 is not of type integer",
            "true": ": true is not of type integer",
            '"1"': ': "1" is not of type integer',
            "null": ": null is not of type integer",
            "[1]": ": the array is not of type integer",
        },
    ),
    Rule({"type": "number"}, ["1", "1.5", "-0.0"], {"true": ": true is not of type number", '"1"': ""}),
    Rule({"type": "boolean"}, ["true", "false"], {"0": ": 0 is not of type boolean", '"true"': "", "null": ""}),
    Rule({"type": "null"}, ["null"], {"0": "", '""': "", "false": "", "[]": "", "{}": ""}),
    Rule({"type": "string"}, ['""', '"a"'], {"1": "", "null": ": null is not of type string"}),
    Rule({"type": "array"}, ["[]", "[1]"], {"{}": ": the object is not of type array", '"[]"': ""}),
    Rule({"type": "object"}, ["{}"], {"[]": ": the array is not of type object"}),
    Rule({"type": ["integer", "null"]}, ["1", "null", "2.0"], {'"a"': ': "a" is not of type integer or null'}),
    # enum and const
    Rule(
        {"enum": [1, "a", None, [1, {"b": 2}]]},
        ["1", "1.0", '"a"', "null", "[1, {\"b\": 2}]", "[1.0, {\"b\": 2.0}]"],
        {"true": ": true is none of the values of enum", '"A"': "", "2": "", '[1, {"b": 2, "c": 3}]': "", "[true, {\"b\": 2}]": ""},
    ),
    Rule({"enum": []}, [], {"1": ": 1 is none of the values of enum"}),
    Rule({"enum": [True]}, ["true"], {"1": "", '"true"': ""}),
    Rule({"const": "s3cret"}, ['"s3cret"'], {'"guess"': ': "guess" is not the value of const'}),
    Rule({"const": 0}, ["0", "0.0", "-0.0"], {"false": "", "null": ""}),
    Rule({"const": None}, ["null"], {"0": "", "false": ""}),
    Rule(
        {"const": 0.1},
        ["0.1", "0.10", "0.10000000000000001"],
        {"0.1000000000000001": "", "0.2": ""},
        "two decimals that are one double",
    ),
    Rule(
        {"enum": [[0.1, 1], {"a": 0.30000000000000004}]},
        ["[0.100000000000000001, 1.0]", '{"a": 0.30000000000000004}', '{"a": 0.300000000000000041}'],
        {'{"a": 0.3}': "", "[0.1, 1.5]": ""},
        "decimals that are one double, deep inside",
    ),
    Rule({"const": 9007199254740993}, ["9007199254740993"], {"9007199254740993.0": "", "9007199254740992": ""}),
    Rule({"const": 1180591620717411303424}, ["1180591620717411303424.0"], {"1180591620717411303425": ""}),
    # bounds
    Rule({"minimum": 5}, ["5", "5.0", "6", '"a"', "null", "[]"], {"4.99": ": 4.99 is less than 5", "-6": ""}),
    Rule({"maximum": 5}, ["5", "-6"], {"5.01": ": 5.01 is more than 5"}),
    Rule({"exclusiveMinimum": 5}, ["5.01", "6"], {"5": ": 5 is not more than 5", "5.0": "", "4": ""}),
    Rule({"exclusiveMaximum": 5}, ["4.99"], {"5": ": 5 is not less than 5"}),
    Rule({"minimum": 0.1}, ["0.1", "0.09999999999999999999"], {"0.09999": ""}, "a bound and a value that are one double"),
    Rule({"maximum": 9007199254740992.0}, ["9007199254740992"], {"9007199254740993": ""}, "an integer is compared exactly"),
    Rule({"exclusiveMinimum": 0}, ["5e-324"], {"1e-400": ""}, "a decimal too small for a double is zero"),
    # multipleOf
    Rule({"multipleOf": 3}, ["0", "9", "-3", "6.0", '"a"'], {"4": ": 4 is no multiple of 3", "1.5": ""}),
    Rule({"multipleOf": 0.5}, ["1.5", "2", "-0.5"], {"0.25": ""}),
    Rule({"multipleOf": 0.1}, ["0.2", "1", "0.5"], {"0.3": ": 0.3 is no multiple of 0.1", "0.7": ""}, "a division of doubles"),
    Rule({"multipleOf": 0.01}, ["0.01", "1.1"], {"0.29": "", "4.35": ""}, "a division of doubles by a hundredth"),
    Rule({"multipleOf": 9007199254740993}, ["9007199254740992.0", "9007199254740993"], {"9007199254740992": ""}, "a modulus of doubles"),
    Rule({"multipleOf": 5e-324}, ["1", "0.3"], {}, "a quotient beyond a double is taken exactly"),
    # texts
    Rule({"minLength": 2}, ['"ab"', '"é😀"', "1"], {'"😀"': ': "😀" has fewer than 2 characters', '""': ""}),
    Rule({"maxLength": 2}, ['"ab"', '"😀😀"', '""'], {'"abc"': ': "abc" has more than 2 characters'}),
    Rule({"maxLength": 2.0}, ['"ab"'], {'"abc"': ""}),
    Rule({"pattern": "b+"}, ['"abba"', "1"], {'"aca"': ': "aca" does not match the pattern "b+"'}),
    Rule({"pattern": "^ab$"}, ['"ab"', '"ab\\n"'], {'"ab\\n\\n"': "", '"xab"': "", '"\\nab"': ""}, "$ matches before a last newline"),
    Rule({"pattern": r"^ab\Z"}, ['"ab"'], {'"ab\\n"': ""}),
    Rule({"pattern": "^a.b$"}, ['"a-b"', '"aéb"'], {'"a\\nb"': ""}, "a dot is no newline"),
    Rule({"pattern": "^[^a]$"}, ['"b"', '"\\n"', '"é"'], {'"a"': ""}),
    Rule({"pattern": r"^\d{3}-\w+\s?$"}, ['"123-a_B9 "', '"000-x"'], {'"12-a"': "", '"123-"': "", '"123-a-"': ""}),
    Rule({"pattern": r"^[\w.+-]+@[\w-]+\.[a-z]{2,}$"}, ['"a.b+c@d-e.org"'], {'"a@b"': "", '"@b.org"': ""}),
    Rule({"pattern": r"^(?:s3|gs)://[a-z0-9.-]+(/[^\s]*)?$"}, ['"s3://a-b/c"', '"gs://x"'], {'"http://x"': "", '"s3://a /b"': ""}),
    Rule({"pattern": r"^\s+$"}, ['" \\t\\n\\u001f"'], {'"\\u0000a"'.replace("\\u0000", "\\u0001"): ""}, "a separator is a space"),
    Rule({"pattern": r"^[\]\[\\^-]+$"}, [r'"[]\\^-"'], {'"a"': ""}),
    Rule({"pattern": "^(a|b)*?c{0,1}$"}, ['"abab"', '"c"', '""'], {'"cc"': ""}),
    Rule({"pattern": "^[à-ü]+é$"}, ['"éé"'], {'"eé"': ""}),
    # formats
    Rule(
        {"format": "date"},
        ['"2024-02-29"', '"0001-01-01"', '"9999-12-31"', "1"],
        {
            '"2026-02-29"': ': "2026-02-29" is no "date"',
            **dict.fromkeys(['"2026-1-01"', '"0000-01-01"', '"20260101"', '"2026-01-01T00:00:00"', '"2026-01-01\\n"', '"٢026-01-01"'], ""),
        },
    ),
    Rule({"format": "time"}, ['"12:30:59"', '"1:2:3"'], dict.fromkeys(['"24:00:00"', '"12:30"', '"12:30:60"', '"12:30:00Z"', '""'], "")),
    Rule({"format": "email"}, ['"a@b"', '"@"'], {'"ab"': ': "ab" is no "email"'}),
    Rule({"format": "idn-email"}, ['"é@é"'], {'"é"': ""}),
    Rule({"format": "ipv4"}, ['"192.0.2.1"', '"0.0.0.0"', '"255.255.255.255"'], dict.fromkeys(['"192.0.2.01"', '"256.0.0.1"', '"1.2.3"', '"1.2.3.4."', '"1.2.3.4/32"', '""'], "")),
    Rule(
        {"format": "ipv6"},
        ['"::"', '"::1"', '"1::"', '"1:2:3:4:5:6:7:8"', '"1:2:3:4:5:6:7::"', '"::ffff:192.0.2.1"', '"1:2:3:4:5:6:1.2.3.4"', '"FE80::1"'],
        dict.fromkeys(['":"', '":::"', '"1::2::3"', '"12345::"', '"::1%eth0"', '"1:2:3:4:5:6:7:8:9"', '"1:2:3:4:5:6:7:8::"', '"::1/64"', '"1.2.3.4"', '"::1.2.3"', '"1:2:3:4:5:6:7:1.2.3.4"', '""'], ""),
    ),
    Rule(
        {"format": "uuid"},
        ['"12345678-1234-1234-1234-123456789ABC"', '"12345678-1234-1234-1234-1234-5678-9abc"'],
        dict.fromkeys(['"12345678123412341234123456789abc"', '"12345678-1234-1234-1234-123456789abg"', '"1"', '""'], ""),
    ),
    Rule({"format": "regex"}, ['"^a+$"'], {}),
    Rule({"format": "multiline"}, ['"a\\nb"', "1"], {}, "a format that jsonschema does not know"),
    Rule({"format": "password"}, ['""'], {}, "another"),
    # arrays
    Rule({"items": {"type": "integer"}}, ["[]", "[1, 2.0]", '"a"'], {'[1, "a"]': '[1]: "a" is not of type integer', "[[1]]": "[0]: the array is not of type integer"}),
    Rule({"items": False}, ["[]"], {"[1]": "[0]: no value is allowed"}),
    Rule({"prefixItems": [{"type": "string"}, {"type": "integer"}]}, ["[]", '["a"]', '["a", 1, null]'], {'["a", "b"]': '[1]: "b" is not of type integer', "[1]": "[0]: "}),
    Rule({"prefixItems": [True], "items": {"type": "null"}}, ["[1]", "[1, null]"], {"[1, 2]": "[1]: 2 is not of type null"}),
    Rule({"prefixItems": [True], "items": False}, ["[1]", "[]"], {"[1, 2]": "[1]: no value is allowed"}),
    Rule({"minItems": 1}, ["[null]", '""'], {"[]": ": the array has fewer than 1 elements"}),
    Rule({"maxItems": 1}, ["[]", "[1]"], {"[1, 2]": ": the array has more than 1 elements"}),
    Rule(
        {"uniqueItems": True},
        ["[]", "[1, true, \"1\"]", "[[1], [true]]", '[{"a": 1}, {"a": 2}]', "[0.1, 0.2]", "[null, 0, false, \"\"]"],
        {
            "[1, 2, 1.0]": ": the array has an element twice",
            '[{"a": 1, "b": 2}, {"b": 2.0, "a": 1}]': "",
            "[null, null]": "",
            "[0.1, 0.10000000000000001]": "",
            "[[0.1], [0.10000000000000001]]": "",
            '["a", "a"]': "",
        },
    ),
    Rule({"uniqueItems": False}, ["[1, 1]"], {}),
    Rule({"contains": {"type": "integer"}}, ['["a", 1]', "{}"], {'["a"]': ": the array has fewer than 1 elements that match contains", "[]": ""}),
    Rule({"contains": {"minimum": 5}, "minContains": 2, "maxContains": 3}, ["[5, 1, 6]"], {"[5]": ": the array has fewer than 2 elements that match contains", "[5, 5, 5, 5]": ": the array has more than 3 elements that match contains"}),
    Rule({"contains": {"minimum": 5}, "minContains": 0}, ["[]", "[1]"], {}),
    Rule({"minContains": 2}, ["[]"], {}, "minContains alone says nothing"),
    # objects
    Rule(
        {"properties": {"a": {"type": "integer"}, "odd name": {"properties": {"b": {"maxLength": 1}}}}},
        ["{}", '{"a": 1, "c": "x"}', "[]"],
        {'{"a": "x"}': '.a: "x" is not of type integer', '{"odd name": {"b": "xy"}}': '["odd name"].b: "xy" has more than 1 characters'},
    ),
    Rule({"required": ["a", "b"]}, ['{"a": null, "b": 1}', "[]"], {'{"a": 1}': ': the object lacks "b"', "{}": ': the object lacks "a"'}),
    Rule({"additionalProperties": False, "properties": {"a": True}}, ['{"a": 1}', "{}"], {'{"a": 1, "b": 2}': ".b: no value is allowed"}),
    Rule({"additionalProperties": {"type": "null"}, "patternProperties": {"^x": True, "y$": True}}, ['{"x1": 1, "1y": 1, "z": null}'], {'{"z": 1}': ".z: 1 is not of type null"}),
    Rule({"patternProperties": {"^n_": {"type": "integer"}, "_s$": {"type": "string"}}}, ['{"n_a": 1, "a_s": "x", "b": []}'], {'{"n_a": "x"}': '.n_a: "x" is not of type integer', '{"n_s": 1}': ".n_s: 1 is not of type string"}),
    Rule({"propertyNames": {"pattern": "^[a-z]+$"}}, ['{"abc": 1}', "{}"], {'{"abc": 1, "A": 2}': '.A: "A" does not match the pattern "^[a-z]+$"'}),
    Rule({"minProperties": 1}, ['{"a": 1}'], {"{}": ": the object has fewer than 1 members"}),
    Rule({"maxProperties": 1}, ['{"a": 1}'], {'{"a": 1, "b": 2}': ": the object has more than 1 members"}),
    Rule({"dependentRequired": {"a": ["b"]}}, ['{"b": 1}', '{"a": 1, "b": 2}'], {'{"a": 1}': ': the object lacks "b"'}),
    Rule({"dependentSchemas": {"a": {"properties": {"b": {"type": "null"}}}}}, ['{"b": 1}', '{"a": 1, "b": null}'], {'{"a": 1, "b": 2}': ".b: 2 is not of type null"}),
    # several schemas
    Rule({"allOf": [{"type": "integer"}, {"minimum": 2}]}, ["2"], {"1": ": 1 is less than 2", '"a"': ': "a" is not of type integer'}),
    Rule({"anyOf": [{"type": "integer"}, {"const": "all"}]}, ["1", '"all"'], {'"a"': ': "a" matches none of anyOf'}),
    Rule({"oneOf": [{"type": "integer"}, {"minimum": 2}]}, ["1", "2.5", '"a"'], {"2": ": 2 matches more than one of oneOf", "1.5": ": 1.5 matches none of oneOf"}),
    Rule({"not": {"type": "null"}}, ["0"], {"null": ": null is what not excludes"}),
    Rule({"not": {}}, [], {"1": ""}),
    Rule({"if": {"type": "integer"}, "then": {"minimum": 5}, "else": {"maxLength": 1}}, ["5", '"a"', "null"], {"4": ": 4 is less than 5", '"ab"': ': "ab" has more than 1 characters'}),
    Rule({"if": {"type": "integer"}, "then": False}, ['"a"'], {"1": ": no value is allowed"}),
    Rule({"then": False, "else": False}, ["1"], {}, "then and else say nothing without if"),
    # annotations
    Rule(
        {
            "title": "t", "description_md": "d", "section": "s", "values_display": {"1": "One"}, "examples": [1], "custom_html_form": "h",
            "$comment": "c", "deprecated": False, "readOnly": True, "writeOnly": False, "contentEncoding": "base64", "contentMediaType": "text/plain",
            "$schema": "https://json-schema.org/draft/2020-12/schema", "items": {"default": {"a": 1}, "description": "d"},
        },
        ["1", '"a"', "[1]"],
        {},
        "annotations refuse nothing",
    ),
]  # fmt: skip
