"""Find the call in a row: as OpenAI, Anthropic and MCP clients deliver it, or in named fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from toolhaft.jsonio import jsontext

__all__ = [
    "FIELDS",
    "MAX_ROW_DEPTH",
    "SHAPES",
    "Call",
    "Fields",
    "NotACall",
    "Place",
    "TooLong",
    "read_call",
    "read_calls",
    "read_row",
]

# Arguments may be nested as deep as a tool allows, inside a row that adds a few levels.
MAX_ROW_DEPTH = 64
# A row with one of these keys may be a call as a client delivers it, or a conversation.
SHAPES = frozenset({"type", "method", "messages"})


class NotACall(Exception):
    """A line that no call can be read from; the message says why, without quoting it."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class TooLong(NotACall):
    """A line that is longer than the limit, and was not parsed."""


class Place(NamedTuple):
    """Where a call stands in a conversation: the message, and the call in it, both from 0."""

    message: int
    call: int


class Call(NamedTuple):
    """One call as recorded.

    With `by_id` the row names its tool by the id of a declaration, and None means that it has no
    tool; without `by_id`, or if no declaration has an id, the name decides.
    """

    id: str | int | None
    name: str
    arguments: Any
    tool_id: str | None = None
    by_id: bool = False


class Fields(NamedTuple):
    """Names of the fields of a plain row; of several, the first that the row has."""

    name: tuple[str, ...] = ("name", "called_name")
    arguments: tuple[str, ...] = ("arguments", "arguments_text")
    id: tuple[str, ...] = ("id", "call_id")
    tool_id: tuple[str, ...] = ("tool_id",)

    @property
    def chosen(self) -> set[str]:
        """The field names that a user chose, in place of the defaults."""
        return {
            name
            for names, usual in zip(self, FIELDS, strict=True)
            if names != usual
            for name in names
        }


FIELDS = Fields()


def read_row(text: bytes, limit: int) -> dict[str, Any]:
    """Read a line as a JSON object.

    Raises:
        NotACall: It is not strict JSON, or not an object.
    """
    try:
        row = jsontext.read(text, max_bytes=limit, max_depth=MAX_ROW_DEPTH)
    except jsontext.JsonSyntaxError as fault:
        raise NotACall(fault.message.replace("at line 1 column", "at column")) from None
    if not isinstance(row, dict):
        raise NotACall("not a JSON object")
    return row


def read_calls(
    row: Mapping[str, Any] | NotACall, fields: Fields = FIELDS
) -> Iterator[tuple[Place | None, Call | NotACall]]:
    """Yield the calls of a row: its only one, or its conversation's calls with their places.

    For a line that could not be read, the only item is the reason.

    >>> call = {"id": "c", "type": "function", "function": {"name": "add", "arguments": "{}"}}
    >>> row = {"messages": [{"role": "user"}, {"role": "assistant", "tool_calls": [call]}]}
    >>> [(place, call.name) for place, call in read_calls(row)]
    [(Place(message=1, call=0), 'add')]
    """
    if isinstance(row, NotACall):
        yield None, row
        return
    messages = row.get("messages")
    if not isinstance(messages, list) or any(field in row for field in fields.name):
        yield None, _try_read(row, fields)
        return
    for place, message in enumerate(messages):
        for index, call in enumerate(_calls_of(message)):
            yield Place(place, index), _try_read(call, fields)


def _calls_of(message: Any) -> list[Any]:
    """Return the calls in a message, as Chat Completions or Anthropic's Messages have them."""
    if not isinstance(message, dict):
        return []
    if isinstance(calls := message.get("tool_calls"), list):
        return [{**call, "type": "function"} if _is_function(call) else call for call in calls]
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return [
        block for block in blocks if isinstance(block, dict) and block.get("type") == "tool_use"
    ]


def _is_function(call: Any) -> bool:
    """Whether a call is a function's: recorders often leave out its type."""
    return isinstance(call, dict) and isinstance(call.get("function"), dict)


def _try_read(row: Any, fields: Fields) -> Call | NotACall:
    try:
        if isinstance(row, dict):
            return read_call(row, fields)
    except NotACall as fault:
        return fault
    return NotACall("not a JSON object")


def read_call(row: Mapping[str, Any], fields: Fields = FIELDS) -> Call:
    """Read the call of a row.

    >>> read_call({"type": "tool_use", "id": "t1", "name": "add", "input": {"a": 1}})
    Call(id='t1', name='add', arguments={'a': 1}, tool_id=None, by_id=False)

    Raises:
        NotACall: The row has no tool name, or a field of the wrong type.
    """
    kind = row.get("type")
    if row.get("method") == "tools/call":
        return _read_mcp(row)
    if kind == "function_call":
        return _make_call(row.get("call_id"), row.get("name"), row.get("arguments"))
    if kind == "function":
        inner = _require_object(row, "function")
        return _make_call(row.get("id"), inner.get("name"), inner.get("arguments"))
    if kind == "tool_use":
        return _make_call(row.get("id"), row.get("name"), row.get("input"))
    return _read_plain(row, fields)


def _read_mcp(row: Mapping[str, Any]) -> Call:
    """Read a JSON-RPC request (MCP 2025-11-25, server/tools)."""
    params = _require_object(row, "params")
    return _make_call(row.get("id"), params.get("name"), params.get("arguments"))


def _read_plain(row: Mapping[str, Any], fields: Fields) -> Call:
    call = _make_call(
        _first_present(row, fields.id),
        _first_present(row, fields.name),
        _first_present(row, fields.arguments),
    )
    if not any(field in row for field in fields.tool_id):
        return call
    tool_id = _first_present(row, fields.tool_id)
    if tool_id is not None and not isinstance(tool_id, str):
        raise NotACall(f"{fields.tool_id[0]}: expected text or null")
    return call._replace(tool_id=tool_id, by_id=True)


def _first_present(row: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((row[name] for name in names if name in row), None)


def _require_object(row: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = row.get(name)
    if not isinstance(value, dict):
        raise NotACall(f"{name}: expected an object")
    return value


def _make_call(id: Any, name: Any, arguments: Any) -> Call:
    if not isinstance(name, str):
        raise NotACall("no tool name" if name is None else "the tool's name is not text")
    return Call(id if isinstance(id, str | int) else None, name, arguments)
