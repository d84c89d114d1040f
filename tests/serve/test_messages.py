"""A message of JSON-RPC that cannot be taken is answered with its code, and a call with its id."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolhaft.serve.messages import BadMessage, read_message

BASE: dict[str, Any] = {"jsonrpc": "2.0"}
CALL: dict[str, Any] = {**BASE, "id": 1, "method": "ping"}


@pytest.mark.parametrize(
    "message",
    [
        CALL,
        {**CALL, "id": "a", "params": {"a": 1}},
        {**BASE, "method": "notifications/initialized"},
        {**BASE, "id": 1, "result": {}},
        {**BASE, "id": 1, "error": {"code": -1, "message": "no"}},
    ],
)
def test_a_call_a_notification_and_an_answer_are_read(message: dict[str, Any]) -> None:
    assert read_message(json.dumps(message).encode(), 1_000) == message


NOT_2 = "jsonrpc is not 2.0"
NO_ID = "the id is neither text nor a whole number"
OTHER = "neither a call nor an answer"
NO_ERROR = "the error has no whole number as code, or no text as message"


@pytest.mark.parametrize(
    ("message", "reason", "id"),
    [
        ([CALL], "a message is one object; batches are not taken", None),
        ("ping", "a message is one object; batches are not taken", None),
        ({**CALL, "jsonrpc": "1.0"}, NOT_2, 1),
        ({"id": "a", "method": "ping"}, NOT_2, "a"),
        ({**CALL, "id": None}, NO_ID, None),
        ({**CALL, "id": 1.5}, NO_ID, None),
        ({**CALL, "id": True}, NO_ID, None),
        ({**CALL, "method": 1}, "the method is no text", 1),
        ({**CALL, "result": {}}, "a call has jsonrpc, id, method and params alone", 1),
        ({**CALL, "params": [1]}, "the params are no object", 1),
        # The id of an answer is the server's own.
        (BASE, OTHER, None),
        ({**BASE, "result": {}}, OTHER, None),
        ({**BASE, "id": 1, "result": {}, "error": {}}, OTHER, None),
        ({**BASE, "id": 1, "result": {}, "params": {}}, OTHER, None),
        ({**BASE, "id": 1, "result": []}, "the result is no object", None),
        ({**BASE, "id": 1, "error": "no"}, NO_ERROR, None),
        ({**BASE, "id": 1, "error": {"code": "1", "message": "no"}}, NO_ERROR, None),
        ({**BASE, "id": 1, "error": {"code": 1}}, NO_ERROR, None),
    ],
)
def test_what_is_no_message_is_answered_with_the_reason(
    message: Any, reason: str, id: str | int | None
) -> None:
    with pytest.raises(BadMessage) as refused:
        read_message(json.dumps(message).encode(), 1_000)
    error = {"code": -32600, "message": f"Invalid request: {reason}"}
    assert refused.value.answer() == {"jsonrpc": "2.0", "id": id, "error": error}


@pytest.mark.parametrize("text", [b"{", b'{"id": 1, "id": 1}', b"\xff", b'"' + b"x" * 1_000 + b'"'])
def test_what_is_no_strict_json_is_answered_without_an_id(text: bytes) -> None:
    with pytest.raises(BadMessage) as refused:
        read_message(text, 1_000)
    answer = refused.value.answer()
    assert (answer["id"], answer["error"]["code"]) == (None, -32700)
    assert answer["error"]["message"].startswith("Parse error: ")
