"""One row for each keyword: the values that it accepts, and its message for the others."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft.schema.explain.explainer import explain
from toolhaft.schema.explain.keywords import KEYWORDS, is_alias

CASES: list[tuple[str, dict[str, Any], list[Any], list[tuple[Any, str]]]] = [
    (
        "type",
        {"type": "integer"},
        [5, 5.0, -0.0, 1e300],
        [
            (5.5, "type expected integer, received number"),
            (True, "type expected integer, received boolean"),
            ("5", "type expected integer, received string"),
            (None, "type expected integer, received null"),
            ([], "type expected integer, received array"),
            ({}, "type expected integer, received object"),
        ],
    ),
    ("type", {"type": "number"}, [5, 5.5], [(False, "type expected number, received boolean")]),
    ("type", {"type": "boolean"}, [True], [(1, "type expected boolean, received integer")]),
    (
        "type",
        {"type": ["integer", "null"]},
        [None, 5.0],
        [("x", "type expected integer or null, received string")],
    ),
    (
        "enum",
        {"enum": ["C", 1, None]},
        ["C", 1, 1.0, None],
        [(True, 'enum expected one of "C", 1, null'), ("c", 'enum expected one of "C", 1, null')],
    ),
    ("enum", {"enum": [[1], {"a": 1}]}, [[1.0], {"a": 1}],
     [([True], 'enum expected one of [1], {"a":1}')]),
    ("enum", {"enum": [True]}, [True], [(1, "enum expected true")]),
    ("enum", {"enum": []}, [], [(1, "enum expected no value")]),
    ("enum", {"type": "string", "enum": ["a", "b"]}, ["a"],
     [(5, 'enum expected one of "a", "b"'), (None, 'enum expected one of "a", "b"')]),
    ("const", {"const": 1}, [1, 1.0], [(2, "enum expected 1"), (True, "enum expected 1")]),
    ("const", {"const": {"a": [0]}}, [{"a": [0.0]}], [({"a": [False]}, 'enum expected {"a":[0]}')]),
    ("minimum", {"minimum": 1}, [1, 1.5, "x"], [(0.5, "value expected at least 1")]),
    ("maximum", {"maximum": 2**53}, [2**53], [(2**53 + 1, f"value expected at most {2**53}")]),
    ("exclusiveMinimum", {"exclusiveMinimum": 0.5}, [0.6], [(0.5, "value expected more than 0.5")]),
    ("exclusiveMaximum", {"exclusiveMaximum": 3}, [2], [(3.0, "value expected less than 3")]),
    ("multipleOf", {"multipleOf": 5}, [0, -10, 15.0], [(4, "value expected a multiple of 5")]),
    ("multipleOf", {"multipleOf": 0.1}, [0.3, 19.9, 3],
     [(0.35, "value expected a multiple of 0.1")]),
    ("multipleOf", {"multipleOf": 0.01}, [19.99, 4.35],
     [(4.355, "value expected a multiple of 0.01")]),
    ("minLength", {"minLength": 2}, ["é1", "😀😀", 1],
     [("😀", "value expected at least 2 characters")]),
    ("maxLength", {"maxLength": 1.0}, ["😀"], [("ab", "value expected at most 1 character")]),
    ("pattern", {"pattern": "^[a-z]+$"}, ["ab"], [
        ("a\n", "format expected string that matches ^[a-z]+$"),
        ("", "format expected string that matches ^[a-z]+$")]),
    ("pattern", {"pattern": r"^\d$"}, ["1"],
     [("\u0661", r"format expected string that matches ^\d$")]),
    ("not", {"not": {"type": "string"}}, [1],
     [("x", "value expected a value that the schema does not exclude")]),
    ("not", {"not": {"enum": ["a", "b"]}}, ["c"],
     [("a", 'value expected anything but one of "a", "b"')]),
    ("not", {"not": {"const": 1}}, [True], [(1.0, "value expected anything but 1")]),
    ("if", {"if": {"type": "string"}, "then": {"minLength": 1}, "else": {"minimum": 1}}, ["x", 1],
     [("", "value expected at least 1 character"), (0, "value expected at least 1")]),
    ("if", {"if": {"type": "string"}}, ["", 0], []),
    ("allOf", {"allOf": [{"minimum": 1}, {"maximum": 0}]}, ["x"],
     [(0, "value expected at least 1"), (1, "value expected at most 0")]),
]  # fmt: skip


ASSERTIONS = {
    *("$ref", "allOf", "anyOf", "oneOf", "not", "if", "enum", "const"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("minLength", "maxLength", "pattern"),
    *("items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems"),
    *("properties", "patternProperties", "additionalProperties", "propertyNames"),
    *("required", "dependentRequired", "dependentSchemas", "minProperties", "maxProperties"),
    *("unevaluatedItems", "unevaluatedProperties"),
}


def told(schema: Any, value: Any) -> list[str]:
    return [f"{f.issue.code} {f.issue}" for f in explain(schema, value)]


@pytest.mark.parametrize(("keyword", "schema", "right", "wrong"), CASES)
def test_a_keyword_accepts_and_says_why_not(
    keyword: str, schema: dict[str, Any], right: list[Any], wrong: list[tuple[Any, str]]
) -> None:
    assert keyword in schema
    for value in right:
        assert told(schema, value) == [], value
    for value, words in wrong:
        assert told(schema, value) == [words]


def test_every_assertion_of_the_draft_is_in_the_table() -> None:
    """JSON Schema 2020-12: core 10 and 11, validation 6."""
    assert KEYWORDS.keys() == ASSERTIONS


def test_a_boolean_schema_accepts_all_or_nothing() -> None:
    assert told(True, 1) == []
    assert told(False, 1) == ["value expected no value"]
    assert told({"properties": {"a": False}}, {"a": 1}) == ["extra a: unknown"]
    assert told({"prefixItems": [False]}, [1]) == ["value 0: expected no value"]


@pytest.mark.requirement("feedback-enums")
def test_an_enum_is_listed_while_it_fits_and_long_members_are_cut() -> None:
    regions = ["us-east-1", "us-west-2", "eu-west-1", "eu-central-1", "ap-south-1", "sa-east-1"]
    listed = ", ".join(f'"{region}"' for region in regions)
    assert told({"enum": regions}, "us-east-3") == [f"enum expected one of {listed}"]
    fifteen = ", ".join(map(str, range(15)))
    assert told({"enum": list(range(15))}, "x") == [f"enum expected one of {fifteen}"]
    [words] = told({"enum": list(range(16))}, "x")
    assert words == "enum expected one of 16 values, such as 0, 1, 2, 3, 4"
    [words] = told({"enum": [f"{n}{'y' * 50}" for n in range(7)]}, "x")  # over 300 characters
    assert words.startswith("enum expected one of 7 values, such as ")
    [words] = told({"const": "x" * 100}, "y")
    assert words == f'enum expected "{"x" * 59}...'


def test_a_long_pattern_is_cut() -> None:
    [words] = told({"pattern": "a" * 100}, "x")
    assert words == f"format expected string that matches {'a' * 60}..."


def test_only_a_bare_reference_is_an_alias() -> None:
    assert is_alias({"$ref": "#", "description": "...", "$defs": {}})
    assert not is_alias({"$ref": "#", "type": "string"})
    assert not is_alias({"$ref": "#", "maximum": 1})
    assert not is_alias({})
    assert not is_alias(True)
