from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest

from toolhaft.schema.checker import Checker
from toolhaft.schema.faults import SchemaFault
from toolhaft.schema.limits import faults_of
from toolhaft.schema.metaschema import KEYWORDS, malformed

CURRENT = 2020

# What a keyword may hold in words, and what it may not.
WRONG: dict[str, tuple[str, list[Any]]] = {
    "type": (
        "a JSON type or a list of different ones",
        ["int", [], ["null", "null"], None, {}, ["null", 1]],
    ),
    "required": ("a list of different property names", ["name", ["a", "a"], [1], {}]),
    "properties": ("an object of schemas", [["a"], None]),
    "patternProperties": ("an object of schemas", [["a"]]),
    "allOf": ("a list of at least one schema", [[], {}]),
    "items": ("one schema, and the schemas of a tuple under prefixItems", [[{}]]),
    **dict.fromkeys(
        ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
        ("a whole number of at least 0", [-1, 1.5, True, "1"]),
    ),
    **dict.fromkeys(
        ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
        ("a number", ["1", True, None]),
    ),
    "multipleOf": ("a number above 0", [0, -1, "x"]),
    "enum": ("a list", ["a", {}]),
    "pattern": ("text", [1]),
    "uniqueItems": ("true or false", ["true"]),
    "dependentRequired": ("an object of lists of property names", [["a"], {"a": "b"}]),
    "dependencies": (
        "an object of schemas or lists of property names",
        [{"a": ["b", "b"]}, {"a": [1]}, []],
    ),
    "title": ("text", [None, 1]),
    "examples": ("a list", ["x"]),
    "readOnly": ("true or false", ["true", 1]),
    "writeOnly": ("true or false", ["true", 1]),
    "$schema": ("text", [1]),
    "x-toolhaft": ("an object", [5, "x", ["open"]]),
}
RIGHT: dict[str, list[Any]] = {
    "type": ["null", ["null"], ["integer", "null"]],
    "required": [[], ["a", "b"]],
    "minLength": [0, 2.0],
    "minimum": [-1, 0.5, 10**400],
    "multipleOf": [0.01, 5],
    "enum": [[], [1, 1]],
    "dependencies": [{"a": ["b"], "c": {}}],
}


@pytest.mark.parametrize(
    ("keyword", "value"), [(keyword, value) for keyword in WRONG for value in WRONG[keyword][1]]
)
def test_a_keyword_that_holds_something_else_is_named(keyword: str, value: Any) -> None:
    assert list(malformed(("items",), {keyword: value}, CURRENT)) == [
        SchemaFault(f"/items/{keyword}", f"malformed {keyword}", f"write {WRONG[keyword][0]}")
    ]


@pytest.mark.parametrize(("keyword", "value"), [(k, v) for k in RIGHT for v in RIGHT[k]])
def test_a_keyword_that_holds_what_it_should_passes(keyword: str, value: Any) -> None:
    assert list(malformed((), {keyword: value}, CURRENT)) == []
    jsonschema_rs.Draft202012Validator({keyword: value})


@pytest.mark.parametrize("keyword", sorted(KEYWORDS))
def test_whatever_passes_compiles_in_the_engine(keyword: str) -> None:
    values: list[Any] = [None, True, 0, 1, -1, 1.5, "", "null", [], ["a"], [1], [{}], {}, {"a": {}}]
    for value in values:
        schema = {keyword: value}
        if faults_of(schema) == []:
            assert Checker(schema).is_valid({}) in (True, False)


@pytest.mark.parametrize("node", ["{}", None, 1, ["a"]])
def test_what_is_no_object_and_no_boolean_is_no_schema(node: Any) -> None:
    assert list(malformed(("items",), node, CURRENT)) == [
        SchemaFault("/items", "not a schema", "write an object, true or false")
    ]


@pytest.mark.parametrize("draft", [None, 4])
def test_older_spellings_pass_where_they_have_a_meaning(draft: int | None) -> None:
    assert list(malformed((), {"items": [{}], "exclusiveMaximum": True}, draft)) == []


def test_a_flag_has_no_meaning_in_draft_7() -> None:
    assert list(malformed((), {"items": [{}]}, 7)) == []
    [fault] = malformed((), {"exclusiveMaximum": True}, 7)
    assert fault.pointer == "/exclusiveMaximum"
