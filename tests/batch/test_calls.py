"""A call is found in whatever row a client delivers it in."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft.batch.calls import FIELDS, Call, NotACall, read_call, read_row

ARGUMENTS = {"city": "Paris"}
TEXT = '{"city": "Paris"}'


@pytest.mark.requirement("batch-call-shapes")
@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (
            {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "f", "arguments": TEXT},
            Call("c", "f", TEXT),
        ),
        (
            {"id": "c", "type": "function", "function": {"name": "f", "arguments": TEXT}},
            Call("c", "f", TEXT),
        ),
        (
            {"type": "tool_use", "id": "c", "name": "f", "input": ARGUMENTS},
            Call("c", "f", ARGUMENTS),
        ),
        (
            {
                "jsonrpc": "2.0",
                "id": 7,
                "method": "tools/call",
                "params": {"name": "f", "arguments": ARGUMENTS},
            },
            Call(7, "f", ARGUMENTS),
        ),
        ({"method": "tools/call", "params": {"name": "f"}}, Call(None, "f", None)),
        ({"id": "c", "name": "f", "arguments": ARGUMENTS}, Call("c", "f", ARGUMENTS)),
        ({"call_id": "c", "called_name": "f", "arguments_text": TEXT}, Call("c", "f", TEXT)),
        ({"name": "f"}, Call(None, "f", None)),
        ({"name": "f", "id": ["not", "an", "id"]}, Call(None, "f", None)),
    ],
    ids=["responses", "chat", "anthropic", "mcp", "mcp-empty", "plain", "recorded", "bare", "id"],
)
def test_a_row_in_the_shape_of_a_client_is_a_call(row: dict[str, Any], expected: Call) -> None:
    assert read_call(row) == expected


@pytest.mark.requirement("batch-fields")
def test_field_names_can_be_set() -> None:
    fields = FIELDS._replace(name=("fn",), arguments=("args",), id=("key",), tool_id=("which",))
    row = {"fn": "f", "args": TEXT, "key": "c", "which": "v2:f", "name": "g"}
    assert read_call(row, fields) == Call("c", "f", TEXT, "v2:f", by_id=True)


@pytest.mark.requirement("batch-fields")
def test_a_row_may_name_its_tool_by_an_id_and_null_is_no_tool() -> None:
    assert read_call({"name": "f", "tool_id": "v2:f"}) == Call(None, "f", None, "v2:f", by_id=True)
    assert read_call({"name": "f", "tool_id": None}) == Call(None, "f", None, None, by_id=True)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"role": "assistant", "content": "Hello"}, "no tool name"),
        ({"name": 5}, "the tool's name is not text"),
        ({"type": "function", "function": "f"}, "function: expected an object"),
        ({"method": "tools/call", "params": ["f"]}, "params: expected an object"),
        ({"name": "f", "tool_id": 3}, "tool_id: expected text or null"),
    ],
)
def test_a_row_without_a_call_names_the_missing_part(row: dict[str, Any], reason: str) -> None:
    with pytest.raises(NotACall) as caught:
        read_call(row)
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"Hello", "not JSON: expected a value at column 1"),
        (b'["a"]', "not a JSON object"),
        (b'{"name": "f", "name": "g"}', "key written twice at column 22"),
        (b'{"name": NaN}', "not JSON: expected a value at column 10"),
        (b'{"name": "f', "not JSON: the text ends inside a string at column 11"),
    ],
)
def test_a_line_that_is_no_strict_json_object_is_reported_by_place(
    text: bytes, reason: str
) -> None:
    with pytest.raises(NotACall) as caught:
        read_row(text, 1000)
    assert caught.value.reason == reason


def test_a_row_may_be_a_little_deeper_than_the_arguments_in_it() -> None:
    deep = b'{"name":"f","arguments":' + b"[" * 40 + b"]" * 40 + b"}"
    assert read_row(deep, 1000)["name"] == "f"
