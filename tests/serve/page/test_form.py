"""The model of a form, in node: what it reads back is what was loaded, and nothing more."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from tests.schema.corpora import rows
from toolhaft.schema.generate import NoValue, Values

NODE: Final = shutil.which("node")
DRIVER: Final = Path(__file__).parent / "form.mjs"
SCHEMAS: Final = Path(__file__).parent / "schemas.json"

pytestmark = [
    pytest.mark.requirement("page-form"),
    pytest.mark.skipif(
        NODE is None, reason="the modules of the page run in node, which is not here"
    ),
]


def run(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Load each value into a form of its schema; return what each form then says."""
    assert NODE is not None
    done = subprocess.run(
        [NODE, DRIVER],
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return answers


def values_of(schema: Any, count: int, seed: int) -> list[Any]:
    source = Values(schema, Random(seed))
    found = []
    for _ in range(count):
        try:
            found.append(source.valid())
        except NoValue:
            break
    return found


def require_exact_forms(named: dict[str, Any]) -> None:
    cases = [{"schema": schema, "values": values_of(schema, 20, 1)} for schema in named.values()]
    assert sum(len(case["values"]) for case in cases) > 3 * len(named)
    for name, answer in zip(named, run(cases), strict=True):
        assert (name, answer["untouched"], answer["different"]) == (name, "{}", [])
        assert (name, answer["raw"]) == (name, 0)


def test_untouched_is_an_empty_object_and_valid_values_read_back_in_their_fields() -> None:
    require_exact_forms(json.loads(SCHEMAS.read_text()))


def test_forms_of_real_tools_are_as_exact() -> None:
    tools = rows("tools_mcp.jsonl.gz")
    require_exact_forms({tool["name"]: tool["inputSchema"] for tool in tools[:: len(tools) // 30]})


HARD: Final = [
    {"a": None},
    {"a": ""},
    {"a": "two\r\nlines"},
    {"a": 5},
    {"a": []},
    {"a": {"b": [{"": None}]}},
    {"__proto__": 1, "constructor": "x"},
    {"10": 1, "9": 2},
    {"a": "5"},
    {"a": True},
]


def test_what_no_field_can_show_is_shown_as_json_and_reads_back() -> None:
    kinds: list[Any] = [
        {"type": kind} for kind in ("string", "integer", "boolean", "array", "object")
    ]
    kinds += [
        {"type": ["string", "null"]},
        {"enum": ["x", 5, None]},
        {"const": {"b": 1}},
        True,
        False,
    ]
    kinds += [{"anyOf": [{"type": "integer"}, {"type": "string"}]}, {"$ref": "#/$defs/none"}]
    cases = [{"schema": {"properties": {"a": kind}}, "values": HARD} for kind in kinds]
    assert [answer["different"] for answer in run(cases)] == [[]] * len(kinds)


UNSHOWN: Final[list[tuple[dict[str, Any], str]]] = [
    ({"type": "string", "not": {"const": "x"}}, "not"),
    ({"allOf": [{"type": "string"}, {"type": "integer"}]}, "allOf"),
    ({"allOf": [{"enum": ["a", "b"]}, {"enum": ["b", "c"]}]}, "allOf"),
    ({"type": "object", "patternProperties": {"^x-": True}}, "patternProperties"),
    ({"type": "object", "dependentSchemas": {"a": {"required": ["b"]}}}, "dependentSchemas"),
    ({"type": "object", "dependentRequired": {"a": ["b"]}}, "dependentRequired"),
    ({"type": "string", "if": {"pattern": "^a"}, "then": {"maxLength": 3}}, "if"),
    ({"type": "array", "contains": {"const": 1}}, "contains"),
    ({"$ref": "#/$defs/n"}, "not"),
]


def test_a_field_names_the_rules_that_it_cannot_show() -> None:
    defs = {"n": {"not": {"type": "string"}}}
    schemas = [schema for schema, _ in UNSHOWN]
    cases = [{"schema": {"properties": {"a": schema}, "$defs": defs}} for schema in schemas]
    cases += [{"schema": {**schema, "$defs": defs}} for schema in schemas]
    told = [answer["told"] for answer in run(cases)]
    words = [f"no field shows all rules ({keyword}): write JSON" for _, keyword in UNSHOWN]
    assert told == [["", word] for word in words] + [[word] for word in words]


def test_a_field_of_parts_that_agree_has_no_such_rule() -> None:
    parts = [{"type": "string", "minLength": 1}, {"type": "string", "maxLength": 9}]
    [answer] = run([{"schema": {"properties": {"a": {"allOf": parts}}}}])
    assert answer["told"] == ["", "≥ 1 characters, ≤ 9 characters"]


def test_numbers_keep_their_digits() -> None:
    text = '{"a":9007199254740993,"b":1.10,"c":-0.0,"d":1E400}'
    [answer] = run([{"schema": {"properties": {"a": {"type": "integer"}}}, "text": text}])
    assert answer["read"] == text
