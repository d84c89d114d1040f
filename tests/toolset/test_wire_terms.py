"""Where a schema is another on the wire, the model and the program read their own terms."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, TypedDict

import pytest

from tests.providers.sample import tools
from tests.wire_samples import ADDED, ALL, DIALECTS, count, size
from toolhaft import Coercion, Err, ToolCall, Toolset, tool
from toolhaft.call import feedback
from toolhaft.errors import ToolhaftError
from toolhaft.lowering import lower


@pytest.mark.requirement("lowering-issues-in-wire-terms")
def test_the_model_reads_wire_paths_and_the_program_the_tools_own() -> None:
    wire = Toolset([count]).export("openai", strict="require")
    pairs = [{"key": "a", "value": 1}, {"key": "b", "value": "x"}]
    outcome = wire.call_sync(ToolCall("c", "count", {"words": pairs}))
    assert isinstance(outcome, Err)
    assert [(issue.path, issue.code) for issue in outcome.issues] == [(("words", "b"), "type")]
    assert outcome.text == (
        "Please rewrite the input with valid arguments. Errors: "
        "words.1.value: expected integer, received string"
    )


def test_the_same_key_twice_in_a_list_of_pairs_is_an_issue() -> None:
    wire = Toolset([count]).export("openai", strict="require")
    pairs = [{"key": "a", "value": 1}, {"key": "a", "value": 2}]
    outcome = wire.call_sync(ToolCall("c", "count", {"words": pairs}))
    assert isinstance(outcome, Err)
    assert (outcome.kind, [issue.code for issue in outcome.issues]) == ("invalid_input", ["json"])
    assert "key written twice" in outcome.text


def test_what_the_wire_needs_repaired_is_repaired_and_recorded_in_the_tools_terms() -> None:
    wire = Toolset([count]).export("openai", strict="require")
    outcome = wire.call_sync(
        ToolCall("c", "count", {"words": '[{"key": "a", "value": "4"}, {"key": "b", "value": 1}]'})
    )
    assert outcome.unwrap() == 5
    assert outcome.coercions == (
        Coercion(("words",), "json_text"),
        Coercion(("words", "a"), "number_text"),
    )


def test_what_the_wire_cannot_read_at_all_is_refused_as_anywhere() -> None:
    wire = Toolset([count]).export("openai", strict="require")
    cut = wire.call_sync(ToolCall("c1", "count", '{"words": [{"key": "a", "va'))
    broken = wire.call_sync(ToolCall("c2", "count", "{a:1}"))
    assert [(getattr(one, "kind", ""), one.call_id) for one in (cut, broken)] == [
        ("truncated", "c1"),
        ("invalid_input", "c2"),
    ]
    assert cut.text == feedback.TRUNCATED
    assert "not JSON" in broken.text


def test_a_missing_or_unknown_key_is_told_by_its_name_on_the_wire() -> None:
    schema = {
        "type": "object",
        "properties": {"filter[id]": {"type": "string"}, "sort": {"type": "string"}},
        "required": ["filter[id]"],
        "additionalProperties": False,
    }
    find = tool(
        lambda a: a["filter[id]"], name="find", description="Find.", input=schema, output=None
    )
    wire = Toolset([find]).export("anthropic")
    assert list(wire.tools[0]["input_schema"]["properties"]) == ["filter_id", "sort"]
    assert wire.call_sync(ToolCall("c", "find", {"filter_id": "x"})).unwrap() == "x"
    outcome = wire.call_sync(ToolCall("c", "find", {"filterId": "x"}))
    assert isinstance(outcome, Err)
    assert [issue.path for issue in outcome.issues] == [("filter[id]",), ("filterId",)]
    assert outcome.text == (
        "Please rewrite the input with valid arguments. Errors: "
        "filterId: unknown (did you mean filter_id?)"
    )


@pytest.mark.requirement("row-36")
@pytest.mark.requirement("pain-05")
def test_a_union_at_the_root_becomes_a_sentence_and_is_still_enforced() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    }
    find = tool(lambda a: 1, name="find", description="Find.", input=schema, output=None)
    wire = Toolset([find]).export("anthropic")
    [declared] = wire.tools
    assert "anyOf" not in declared["input_schema"]
    assert "a" in declared["input_schema"]["description"]
    assert [(loss.tool, loss.keyword) for loss in wire.losses] == [("find", "anyOf")]
    assert getattr(wire.call_sync(ToolCall("c", "find", {})), "kind", "") == "invalid_input"


@pytest.mark.requirement("row-39")
@pytest.mark.requirement("pain-33")
@ALL
def test_a_type_that_holds_itself_goes_out_and_twice_the_same(target: str) -> None:
    toolset = Toolset([plant])
    wire = toolset.export(target)
    assert wire.problems == ()
    assert json.dumps(toolset.export(target).request) == json.dumps(wire.request)
    if target in ("gemini-openapi", "ollama", "xai"):
        assert "encoded" in {loss.kind for loss in wire.losses}


@dataclass
class Node:
    value: int
    kids: list[Node]


@tool
def plant(node: Node) -> int:
    """Plant a tree."""
    return node.value + sum(plant(kid) for kid in node.kids)


def test_a_tree_grows_through_every_provider() -> None:
    tree = {"value": 1, "kids": [{"value": 2, "kids": []}, {"value": 3, "kids": []}]}
    for target in ("openai", "anthropic", "gemini-openapi", "ollama", "xai"):
        planned = lower(plant.input_schema.json_schema(), target, "prefer")
        wire = Toolset([plant]).export(target, strict="prefer")
        sent = planned.lens.put({"node": tree})
        assert wire.call_sync(ToolCall("c", "plant", sent)).unwrap() == 6, target


@pytest.mark.requirement("pain-36")
@ALL
def test_a_parameter_that_takes_anything_is_never_an_empty_schema(target: str) -> None:
    @tool
    def keep(values: list[Any], by_name: dict[str, Any]) -> int:
        """Keep values of any kind."""
        return len(values) + len(by_name)

    schema = keep.input_schema.json_schema()
    assert schema["properties"]["values"]["items"] == {
        "type": ["null", "boolean", "number", "string", "array", "object"]
    }
    text = json.dumps(Toolset([keep]).export(target).request)
    assert '"values": {"type": "array", "items": {}' not in text
    assert '"additionalProperties": {}' not in text


class Corner(TypedDict):
    x: int
    y: int


class Box(TypedDict):
    near: Corner
    far: Corner
    more: list[Corner]


@pytest.mark.requirement("pain-15")
@pytest.mark.parametrize("strict", [False, "prefer"])
@ALL
def test_a_nested_type_goes_out_without_references(target: str, strict: Any) -> None:
    @tool
    def turn(box: Box) -> Box:
        """Turn a box."""
        return box

    text = json.dumps(Toolset([turn]).export(target, strict=strict).request)
    assert "Turn a box." in text
    assert not [word for word in ("$ref", "$defs", "definitions", "components") if word in text]


@ALL
def test_a_tool_whose_arguments_are_a_map_has_its_schema_everywhere(target: str) -> None:
    schema = {"type": "object", "additionalProperties": {"type": "integer"}}
    tally = tool(size, name="tally", description="Tally.", input=schema, output=None)
    assert '"integer"' in json.dumps(Toolset([tally]).export(target).tools)


@pytest.mark.requirement("pain-64")
def test_a_schema_of_the_authors_own_goes_out_byte_for_byte() -> None:
    schema = {
        "properties": {"b": {"type": "string", "x-unit": "m"}, "a": {"type": "integer"}},
        "type": "object",
        "required": ["b"],
        "title": "Find",
    }
    find = tool(lambda a: 1, name="find", description="Find.", input=schema, output=None)
    for target in ("openai", "openai-chat", "anthropic", "bedrock", "mistral", "cohere", "mcp"):
        text = json.dumps(Toolset([find]).export(target).request)
        assert json.dumps(schema) in text, target


def test_examples_go_out_in_the_wires_terms_where_the_target_has_a_place() -> None:
    shown = count.replace(examples=[{"words": {"a": 1}}])
    [declared] = Toolset([shown]).export("anthropic", strict="require").tools
    assert declared["input_examples"] == [{"words": [{"key": "a", "value": 1}]}]
    [plain] = Toolset([shown]).export("anthropic").tools
    assert plain["input_examples"] == [{"words": {"a": 1}}]


WEATHER = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "degrees": {"type": "integer"},
        "days": {"type": "integer"},
    },
    "required": ["city", "degrees", "days"],
}


def test_what_a_dialect_loses_of_an_output_is_named() -> None:
    @tool
    def split(text: str) -> tuple[str, int]:
        """Split a text."""
        return text, 1

    wire = Toolset([split]).export("openapi-3.0")
    [declared] = wire.tools
    assert "prefixItems" not in declared["output"]
    assert [(loss.tool, loss.keyword, loss.kind) for loss in wire.losses] == [
        ("split", "prefixItems", "widened")
    ]
    assert wire.losses[0].detail.startswith("of the output: ")


@pytest.mark.parametrize("target", DIALECTS)
def test_a_dialect_of_schemas_has_declarations_and_no_calls(target: str) -> None:
    wire = tools().export(target)
    assert [one["name"] for one in wire.tools] == [
        "add",
        "calendar_respond",
        "crash",
        "find_order",
        "get_weather",
    ]
    assert [one.get("output") for one in wire.tools] == [
        {"type": "integer"},
        None,
        {"type": "string"},
        {"type": "string"},
        WEATHER,
    ]
    reason = f"^{target}: a dialect of schemas, which has no calls; export to the target of"
    with pytest.raises(ToolhaftError, match=reason):
        wire.answer_sync({"content": []})
    with pytest.raises(ToolhaftError, match=reason):
        wire.result(wire.call_sync(ToolCall("c", "add", ADDED)))
