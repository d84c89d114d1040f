from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest

from toolhaft.schema.checker import Checker
from toolhaft.schema.faults import SchemaFault
from toolhaft.schema.limits import faults_of
from toolhaft.schema.metaschema import KEYWORDS, malformed

CURRENT = 2020

WRONG: dict[str, list[Any]] = {
    "type": ["int", [], ["null", "null"], None, {}, ["null", 1]],
    "required": ["name", ["a", "a"], [1], {}],
    "properties": [["a"], None],
    "allOf": [[], {}],
    "items": [[{}]],
    "minLength": [-1, 1.5, True, "1"],
    "minimum": ["1", True, None],
    "exclusiveMinimum": [True],
    "multipleOf": [0, -1, "x"],
    "enum": ["a", {}],
    "pattern": [1],
    "uniqueItems": ["true"],
    "dependentRequired": [["a"], {"a": "b"}],
    "dependencies": [{"a": ["b", "b"]}, {"a": [1]}, []],
    "title": [None, 1],
    "examples": ["x"],
    "readOnly": ["true", 1],
    "$schema": [1],
    "x-toolhaft": [5, "x", ["open"]],
}
RIGHT: dict[str, list[Any]] = {
    "type": ["null", ["integer", "null"]],
    "required": [[], ["a", "b"]],
    "minLength": [0, 2.0],
    "minimum": [-1, 0.5, 10**400],
    "multipleOf": [0.01, 5],
    "enum": [[], [1, 1]],
    "dependencies": [{"a": ["b"], "c": {}}],
}


@pytest.mark.parametrize(("keyword", "value"), [(k, v) for k in WRONG for v in WRONG[k]])
def test_a_keyword_that_holds_something_else_is_named(keyword: str, value: Any) -> None:
    [fault] = malformed(("items",), {keyword: value}, CURRENT)
    assert (fault.pointer, fault.reason) == (f"/items/{keyword}", f"malformed {keyword}")
    assert fault.fix.startswith("write ")


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
