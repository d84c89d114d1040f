"""The Model Context Protocol, against the types of mcp 2.3.0, in both revisions."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from tests.installed import sdk
from tests.providers.sample import tools
from tests.providers.sample_turn import MCP_CALLS, Expected
from toolhaft import Toolset, WireError, from_json, tool

if TYPE_CHECKING:
    import mcp_types
    from mcp_types import jsonrpc
else:
    mcp_types = sdk("mcp_types")
    jsonrpc = sdk("mcp_types.jsonrpc")

REVISIONS = {
    "mcp": sdk("mcp_types._v2026_07_28"),
    "mcp-2025-11-25": sdk("mcp_types._v2025_11_25"),
}
TARGETS = list(REVISIONS)

INT = {"type": "integer"}


def request(name: Any, arguments: Any = None, **envelope: Any) -> dict[str, Any]:
    params = {"name": name, **({} if arguments is None else {"arguments": arguments})}
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params, **envelope}


def expected(one: Expected, target: str) -> dict[str, Any]:
    """The result of a call of the sample turn; an unknown tool is an error of the protocol."""
    if one.kind == "unknown_tool":
        return {"code": -32602, "message": one.text}
    content = [{"type": "text", "text": one.text}]
    result: dict[str, Any] = {"content": content, "isError": one.kind is not None}
    if one.name == "get_weather" and one.kind is None:
        result["structuredContent"] = WEATHER[one.id]
    return result | ({"resultType": "complete"} if target == "mcp" else {})


WEATHER = {
    "id_good": {"city": "Paris", "degrees": 21, "days": 3},
    "id_repaired": {"city": "Oslo", "degrees": 70, "days": 2},
}


@pytest.mark.parametrize(("target", "types"), REVISIONS.items())
def test_the_request_is_the_result_of_tools_list(target: str, types: Any) -> None:
    listed = tools().export(target).request
    read = types.ListToolsResult.model_validate(listed)
    assert read.model_dump(mode="json", by_alias=True, exclude_none=True) == listed
    assert len(listed["tools"]) == 5


@pytest.mark.parametrize("target", TARGETS)
def test_no_tools_are_an_empty_list(target: str) -> None:
    assert Toolset().export(target).request["tools"] == []


@pytest.mark.requirement("answer-whole-turn")
@pytest.mark.requirement("pain-48")
@pytest.mark.usefixtures("known_error_ids")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("one", MCP_CALLS, ids=lambda one: one.id)
def test_a_json_rpc_request_is_answered_by_a_json_rpc_response(one: Expected, target: str) -> None:
    answer = tools().export(target).answer_sync(request(one.name, one.arguments))
    result = expected(one, target)
    member = "error" if one.kind == "unknown_tool" else "result"
    assert answer.results == [result]
    assert answer.messages == [{"jsonrpc": "2.0", "id": 7, member: result}]
    kind = jsonrpc.JSONRPCError if member == "error" else jsonrpc.JSONRPCResponse
    read = kind.model_validate(answer.messages[0])
    assert read.model_dump(exclude_none=True) == answer.messages[0]


@pytest.mark.requirement("answer-sdk-objects")
@pytest.mark.usefixtures("known_error_ids")
@pytest.mark.parametrize(("target", "types"), REVISIONS.items())
@pytest.mark.parametrize("one", MCP_CALLS, ids=lambda one: one.id)
def test_the_sdk_object_is_answered_alike(one: Expected, target: str, types: Any) -> None:
    params = mcp_types.CallToolRequestParams(name=one.name, arguments=one.arguments)
    received = mcp_types.CallToolRequest(params=params)
    wire = tools().export(target)
    answer = asyncio.run(wire.answer(received))
    assert answer.messages == answer.results == [expected(one, target)]
    assert wire.answer_sync(params).results == answer.results
    if one.kind != "unknown_tool":
        read = types.CallToolResult.model_validate(answer.results[0])
        assert read.model_dump(by_alias=True, exclude_none=True) == answer.results[0]


@pytest.mark.requirement("pain-61")
@pytest.mark.parametrize("target", TARGETS)
def test_an_error_has_no_structured_content_whatever_the_output_schema(target: str) -> None:
    [result] = tools().export(target).answer_sync(request("get_weather", {})).results
    assert (result["isError"], "structuredContent" in result) == (True, False)


@tool
def total(numbers: list[int]) -> int:
    """Add numbers."""
    return sum(numbers)


WRAPPED = {"type": "object", "properties": {"value": INT}, "required": ["value"]}


@pytest.mark.requirement("pain-62")
@pytest.mark.parametrize(
    ("target", "schema", "content"), [("mcp", INT, 3), ("mcp-2025-11-25", WRAPPED, {"value": 3})]
)
def test_an_output_that_is_no_object_is_wrapped_only_where_it_must_be(
    target: str, schema: Any, content: Any
) -> None:
    wire = Toolset([total]).export(target)
    assert [one["outputSchema"] for one in wire.tools] == [schema]
    [result] = wire.answer_sync(request("total", {"numbers": [1, 2]})).results
    assert result["structuredContent"] == content
    assert result["content"] == [{"type": "text", "text": "3"}]


@pytest.mark.requirement("pain-62")
def test_references_still_lead_to_the_same_places_in_a_wrapped_output() -> None:
    tree = {"type": "array", "items": {"anyOf": [{"$ref": "#"}, {"$ref": "#/$defs/leaf"}]}}
    leaf = {"leaf": {"type": "object", "properties": {"in": {"$ref": "#/items"}, "on": True}}}

    empty = {"type": "object", "properties": {}}
    grow = {"name": "grow", "inputSchema": empty, "outputSchema": {**tree, "$defs": leaf}}
    wire = from_json([grow]).export("mcp-2025-11-25")
    moved = {"$ref": "#/properties/value"}
    assert wire.tools[0]["outputSchema"] == {
        "type": "object",
        "properties": {
            "value": {"type": "array", "items": {"anyOf": [moved, {"$ref": "#/$defs/leaf"}]}}
        },
        "required": ["value"],
        "$defs": {
            "leaf": {
                "type": "object",
                "properties": {"in": {"$ref": "#/properties/value/items"}, "on": True},
            }
        },
    }


@pytest.mark.parametrize("call_id", [0, "abc"])
def test_the_id_of_a_request_comes_back_as_it_was(call_id: Any) -> None:
    wire = tools().export("mcp")
    received = request("add", {"a": 1, "b": 2}, id=call_id)
    assert [one.id for one in wire.calls(received)] == [str(call_id)]
    assert [message["id"] for message in wire.answer_sync(received).messages] == [call_id]


def test_absent_arguments_are_none() -> None:
    assert [one.arguments for one in tools().export("mcp").calls(request("crash"))] == [None]


@pytest.mark.requirement("wire-errors")
@pytest.mark.parametrize(
    ("received", "field"),
    [
        ({}, "name"),
        ({"output": []}, "name"),
        (request("add", method="tools/list"), "method"),
        (request(None), "params.name"),
        (request("add", id=[]), "id"),
    ],
)
def test_another_shape_is_one_error_that_names_the_field(received: Any, field: str) -> None:
    with pytest.raises(WireError) as raised:
        tools().export("mcp").answer_sync(received)
    assert (raised.value.provider, raised.value.field) == ("mcp", field)
