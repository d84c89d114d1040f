"""Schemas made to hang, to crash or to reach out: refused by every target, by name."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft.definition.targets import TARGETS
from toolhaft.lowering import lower
from toolhaft.lowering.plan import Declaration, plan
from toolhaft.schema.faults import SchemaRefused


def _doubling(word: str, levels: int) -> dict[str, Any]:
    parts: dict[str, Any] = {"d0": {"type": "string"}}
    for level in range(1, levels):
        below = {"$ref": f"#/$defs/d{level - 1}"}
        named = {"a": below, "b": below}
        parts[f"d{level}"] = {word: named if word == "properties" else [below, below]}
    top = {"$ref": f"#/$defs/d{levels - 1}"}
    return {"type": "object", "properties": {"x": top}, "$defs": parts}


def _deep(word: str, levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(levels):
        schema = {word: schema}
    return {"type": "object", "properties": {"x": schema}}


def _in_x(node: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"x": node}}


HOSTILE: dict[str, Any] = {
    "doubling allOf": _doubling("allOf", 30),
    "doubling anyOf": _doubling("anyOf", 30),
    "doubling properties": _doubling("properties", 30),
    "2,000 levels": _deep("not", 2000),
    "50,000 properties": {"type": "object", "properties": {f"p{i}": {} for i in range(50_000)}},
    "a reference to itself": {
        **_in_x({"$ref": "#/$defs/a"}),
        "$defs": {"a": {"$ref": "#/$defs/a"}},
    },
    "a remote reference": _in_x({"$ref": "http://127.0.0.1:9/x.json"}),
    "a file": _in_x({"$ref": "file:///etc/passwd"}),
    "a dynamic reference": _in_x({"$dynamicRef": "#meta"}),
    "a pattern that no engine runs": _in_x({"type": "string", "pattern": "(" * 500 + ")" * 500}),
    "a dunder": {"type": "object", "properties": {"__class__": {"type": "string"}}},
    "required is text": {"type": "object", "required": "name"},
    "properties is a list": {"type": "object", "properties": ["a"]},
    "text": "{}",
}


@pytest.mark.unmeasured
@pytest.mark.requirement("lowering-hostile-schemas")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_schema_is_refused_with_a_pointer_and_a_fix(name: str) -> None:
    for target in TARGETS:
        with pytest.raises(SchemaRefused) as refused:
            lower(HOSTILE[name], target, "prefer")
        assert all(fault.reason and fault.fix for fault in refused.value.faults)


@pytest.mark.requirement("lowering-hostile-schemas")
def test_hostile_schemas_are_problems_of_a_request() -> None:
    tools = [Declaration(f"t{i}", "A tool.", schema) for i, schema in enumerate(HOSTILE.values())]
    planned = plan(tools, "openai")
    assert planned.tools == ()
    assert {problem.tool for problem in planned.problems} == {tool.name for tool in tools}
