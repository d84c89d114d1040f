"""Read messages of JSON-RPC strictly: one that readers could take in two ways is refused."""

from __future__ import annotations

from typing import Any, Final

from toolhaft.jsonio import jsontext

__all__ = ["INTERNAL_ERROR", "INVALID_PARAMS", "INVALID_REQUEST", "NEWEST_REVISION", "PARSE_ERROR"]
__all__ += ["BadMessage", "read_message"]

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
# From this revision of MCP on, a server asks by a result, and a tool may return bare text.
NEWEST_REVISION: Final = "2026-07-28"
# Arguments have 32 levels of their own (contract 3, decoding).
MAX_DEPTH: Final = 64
# The members of each kind of message: a request or a notification, or an answer to the server.
CALLS: Final = frozenset({"jsonrpc", "id", "method", "params"})
ANSWERS: Final = frozenset({"jsonrpc", "id", "result", "error"})


class BadMessage(Exception):
    """A message that cannot be taken; `id` is the one to answer, where it could be read."""

    def __init__(self, code: int, reason: str, id: str | int | None = None) -> None:
        self.code = code
        self.reason = reason
        self.id = id
        super().__init__(reason)

    def answer(self) -> dict[str, Any]:
        """Return the error response."""
        error = {"code": self.code, "message": self.reason}
        return {"jsonrpc": "2.0", "id": self.id, "error": error}


def read_message(text: bytes, max_bytes: int) -> dict[str, Any]:
    """Read one message.

    Raises:
        BadMessage: It is not strict JSON (-32700), or not one JSON-RPC 2.0 message (-32600).

    >>> read_message(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}', 1_000)["method"]
    'ping'
    """
    try:
        message = jsontext.read(text, max_bytes=max_bytes, max_depth=MAX_DEPTH)
    except jsontext.JsonSyntaxError as fault:
        raise BadMessage(PARSE_ERROR, f"Parse error: {fault.message}") from None
    reason = _fault_of(message)
    if reason is None:
        return message  # type: ignore[no-any-return]
    # The id of a bad answer is the server's: a client would take it for a request of its own.
    asks = type(message) is dict and "method" in message
    message_id = _id_of(message) if asks else None
    raise BadMessage(INVALID_REQUEST, f"Invalid request: {reason}", message_id)


def _fault_of(message: Any) -> str | None:
    if type(message) is not dict:
        return "a message is one object; batches are not taken"
    if message.get("jsonrpc") != "2.0":
        return "jsonrpc is not 2.0"
    if "id" in message and _id_of(message) is None:
        return "the id is neither text nor a whole number"
    return _fault_of_call(message) if "method" in message else _fault_of_answer(message)


def _fault_of_call(message: dict[str, Any]) -> str | None:
    if type(message["method"]) is not str:
        return "the method is no text"
    if not message.keys() <= CALLS:
        return "a call has jsonrpc, id, method and params alone"
    return None if type(message.get("params", {})) is dict else "the params are no object"


def _fault_of_answer(message: dict[str, Any]) -> str | None:
    is_answer = "id" in message and len(message.keys() & {"result", "error"}) == 1
    if not is_answer or not message.keys() <= ANSWERS:
        return "neither a call nor an answer"
    if "result" in message:
        return None if type(message["result"]) is dict else "the result is no object"
    error = message["error"]
    is_error = type(error) is dict and type(error.get("code")) is int
    if not is_error or type(error.get("message")) is not str:
        return "the error has no whole number as code, or no text as message"
    return None


def _id_of(message: Any) -> str | int | None:
    """Return the id of a message, or None if it has none that can be answered."""
    request_id = message.get("id") if type(message) is dict else None
    return request_id if type(request_id) in (str, int) else None
