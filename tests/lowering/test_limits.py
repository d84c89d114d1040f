"""The sizes that a target counts in a schema, anywhere in it, and in one schema as in a request."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft import Toolset, tool
from toolhaft.lowering import lint, lower
from toolhaft.lowering.limits import measure_schema
from toolhaft.lowering.loss import LoweringUnsupported


def closed(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def tool_of(definition: dict[str, Any], uses: int = 9) -> dict[str, Any]:
    """A tool that refers to a definition so often that it stays one."""
    names = [f"u{number}" for number in range(uses)]
    reference = {"$ref": "#/$defs/Part"}
    return {**closed(dict.fromkeys(names, reference), *names), "$defs": {"Part": definition}}


def texts(count: int, kind: Any = "string") -> dict[str, Any]:
    return {f"p{number}": {"type": kind} for number in range(count)}


TOO_MANY = [
    (closed(texts(25)), "25 optional properties, at most 24"),
    (tool_of(closed(texts(160))), "160 optional properties, at most 24"),
    (tool_of(closed(texts(63, ["string", "null"]), *texts(63))), "63 unions, at most 16"),
    (closed({"list": {"type": "array", "items": closed(texts(25))}}, "list"), "25 optional"),
    (closed({**texts(17, ["string", "null"])}, *texts(17)), "17 unions, at most 16"),
]


@pytest.mark.requirement("lowering-budget-alone")
@pytest.mark.parametrize("target", ["anthropic", "bedrock"])
@pytest.mark.parametrize(("schema", "reason"), TOO_MANY)
def test_the_content_of_a_definition_counts_too(
    schema: dict[str, Any], reason: str, target: Any
) -> None:
    assert reason in next(problem.reason for problem in lint(schema, target, strict=True))
    with pytest.raises(LoweringUnsupported, match=reason):
        lower(schema, target, "require")
    preferred = lower(schema, target, "prefer")
    assert not preferred.strict
    assert [(loss.keyword, loss.kind) for loss in preferred.losses] == [("strict", "widened")]
    assert reason in preferred.losses[0].detail
    assert lower(schema, target).losses == ()
    assert lower(closed(texts(25), *texts(1)), target, "require").strict


@pytest.mark.requirement("lowering-budget-alone")
@pytest.mark.parametrize("target", ["anthropic", "bedrock"])
def test_an_export_names_the_tool_that_alone_passes_a_budget(target: Any) -> None:
    schema = tool_of(closed(texts(160)))
    large = tool(lambda arguments: "", name="large", description="Large.", input=schema)
    with pytest.raises(LoweringUnsupported, match=f"{target}: large: .*160 optional properties"):
        Toolset([large]).export(target, strict="require")
    wire = Toolset([large]).export(target, strict="prefer")
    assert [(loss.tool, loss.keyword, loss.kind) for loss in wire.losses] == [
        ("large", "strict", "widened")
    ]
    assert "strict" not in wire.tools[0]


@pytest.mark.requirement("lowering-budget-alone")
def test_definitions_of_several_tools_share_the_budget_of_their_request() -> None:
    schema = tool_of(closed(texts(20)))
    tools = [
        tool(lambda arguments: "", name=name, description="A tool.", input=schema)
        for name in ("a", "b")
    ]
    wire = Toolset(tools).export("anthropic", strict="prefer")
    assert [(loss.tool, loss.detail) for loss in wire.losses] == [
        ("b", "not strict: past 24 optional properties in strict tools")
    ]


def words(count: int, length: int) -> dict[str, Any]:
    enum = {"type": "string", "enum": [f"{n:0{length}}" for n in range(count)]}
    return closed({"word": enum}, "word")


def parts(count: int, part: dict[str, Any]) -> dict[str, Any]:
    names = [f"part{number}" for number in range(count)]
    return closed(dict.fromkeys(names, part), *names)


LONG = {f"{number:061}": {"type": "string"} for number in range(400)}
LIMITS_OF_OPENAI = [
    (parts(6, closed(texts(900), *texts(900))), "5406 properties, at most 5000"),
    (parts(4, words(251, 4)), "1004 enum members, at most 1000"),
    (words(251, 60), "15060 characters of an enum of more than 250 texts, at most 15000"),
    (parts(5, closed(LONG, *LONG)), "122025 name and enum characters, at most 120000"),
]


@pytest.mark.requirement("lowering-budget-alone")
@pytest.mark.parametrize("target", ["openai", "openai-chat"])
@pytest.mark.parametrize(("schema", "reason"), LIMITS_OF_OPENAI)
def test_limits_of_openai_hold_for_one_schema(
    schema: dict[str, Any], reason: str, target: Any
) -> None:
    with pytest.raises(LoweringUnsupported, match=reason):
        lower(schema, target, "require")
    preferred = lower(schema, target, "prefer")
    assert not preferred.strict
    assert reason in preferred.losses[0].detail
    assert lower(words(251, 59), target, "require").strict
    assert lower(words(250, 61), target, "require").strict


def test_sizes_are_counted_once_for_each_place_where_a_schema_is_written() -> None:
    schema = tool_of(closed({"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}), uses=3)
    assert measure_schema(schema) == {
        "properties": 4,
        "depth": 1,
        "enum members": 0,
        "name and enum characters": 11,
        "characters of an enum of more than 250 texts": 0,
        "optional properties": 1,
        "unions": 1,
    }
