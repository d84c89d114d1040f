"""Surfaces that an attacker can write to: a function of each takes bytes, and raises for a finding.

Each surface allows the errors that its documentation names, and checks what must hold of a result.
It returns whether the input went all the way: a call ran, or a definition became a tool.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import Any, Final, Literal, NoReturn

from toolhaft import (
    DefinitionError,
    Err,
    Ok,
    Prepared,
    ToolCall,
    Toolset,
    WireError,
    from_json,
    from_openapi,
    tool,
)
from toolhaft.batch import rewards
from toolhaft.definition.targets import TARGETS
from toolhaft.serve import asgi
from toolhaft.toolset.export import Export

__all__ = ["SURFACES"]

MOST_TEXT: Final = 4_096  # of what a model reads of a call that was rejected
KEY: Final = b"a secret of thirty-two bytes ..."
PROVIDERS: Final = (
    "openai", "openai-chat", "anthropic", "gemini", "bedrock", "mistral", "cohere", "ollama", "mcp",
)  # fmt: skip


@tool
def transfer(
    account: str,
    amount: int,
    tags: list[str] = [],  # noqa: B006  the library copies it for each call
    to: dict[str, float] | Literal["nobody"] | None = None,
) -> str:
    """Move money."""
    return f"{amount} to {account}: {tags} {to}"


@tool(requires_approval=True)
def refund(order: int, cents: int = 100) -> int:
    """Pay back."""
    return order + cents


@cache
def tools() -> Toolset:
    return Toolset([transfer, refund])


@cache
def wires() -> list[Export]:
    return [tools().export(target) for target in PROVIDERS]


def check(outcome: object) -> bool:
    """Check that the text of an outcome is bounded, and that it can be written as JSON."""
    if isinstance(outcome, Prepared):
        return True
    assert isinstance(outcome, Ok | Err), type(outcome)
    assert isinstance(outcome, Ok) or len(outcome.text) <= MOST_TEXT
    json.dumps(outcome.as_json())
    return isinstance(outcome, Ok)


def read(data: bytes) -> Any:
    """Read JSON, or end this input."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise Uninteresting from None


class Uninteresting(Exception):
    """An input that a surface cannot use."""


def arguments(data: bytes) -> bool:
    """Raw arguments, as bytes, as text and as data."""
    ran = check(transfer.call_sync(data))
    check(transfer.call_sync(data.decode(errors="replace")))
    with suppress(Uninteresting):
        check(transfer.call_sync(read(data)))
    return ran


def made(arguments: Any) -> str:
    """Take what its schema accepts."""
    return str(type(arguments))


def definitions(data: bytes) -> bool:
    """A JSON Schema of a tool: it is refused by name, or the tool can be called and exported."""
    schema = read(data)
    try:
        defined = Toolset([tool(made, input=schema)])
    except DefinitionError:
        return False
    for arguments in ("{}", '{"a": [], "b": 1}'):
        check(defined.call_sync("made", arguments))
    for target in TARGETS:
        with suppress(DefinitionError):
            defined.export(target)
    return True


def declarations(data: bytes) -> bool:
    """Declarations of any provider."""
    try:
        declared = from_json([read(data)])
    except DefinitionError:
        return False
    return bool([check(one.call_sync("{}")) for one in declared])


def lift(data: bytes) -> bool:
    """Arguments that a model wrote for the schema of a target."""
    text = data[1:].decode(errors="replace")
    wire = wires()[data[0] % len(wires())] if data else wires()[0]
    return check(wire.call_sync(ToolCall("call_1", "transfer", text)))


def responses(data: bytes) -> bool:
    """A response of each provider."""
    response = read(data)
    ran = False
    for wire in wires():
        with suppress(WireError):
            ran |= any(list(map(check, wire.answer_sync(response).outcomes)))
    return ran


def streams(data: bytes) -> bool:
    """The events of a stream of each provider."""
    events = read(data)
    if not isinstance(events, list):
        raise Uninteresting
    ran = False
    for wire in wires()[:-1]:  # a call of MCP comes whole
        with suppress(WireError):
            ran |= any(list(map(check, wire.answer_sync(wire.collect_sync(events)).outcomes)))
    return ran


def envelopes(data: bytes) -> bool:
    """Calls in a text."""
    try:
        answer = text_wire().answer_sync(data.decode(errors="replace"))
    except WireError:
        return False
    return any(list(map(check, answer.outcomes)))


@cache
def text_wire() -> Export:
    return tools().export("text")


def rows(data: bytes) -> bool:
    """A recorded call."""
    [judged] = rewards([read(data)], tools())
    assert judged is None or judged.score in {0, 0.5, 1}
    return judged is not None and judged.score == 1


def documents(data: bytes) -> bool:
    """An OpenAPI document."""
    try:
        return len(from_openapi(read(data), client=Client())) > 0
    except DefinitionError:
        return False


class Client:
    """Sends nothing."""

    def request(
        self, method: str, url: str, *, headers: Any = None, content: Any = None
    ) -> NoReturn:
        """Raise, because nothing is sent."""
        raise NotImplementedError(method, url, headers, content)


def bodies(data: bytes) -> bool:
    """The body of a request to a server, and a header."""
    header, _, body = data.partition(b"\n")
    status = asyncio.run(request(header[:200].replace(b"\r", b""), body))
    assert 200 <= status < 500, status
    return status == 200


@cache
def application() -> Any:
    return asgi(tools())


async def request(header: bytes, body: bytes) -> int:
    """Send one request to the application; return the status."""
    sent: list[Any] = []
    bodies = [body]

    async def receive() -> dict[str, Any]:
        if not bodies:
            await asyncio.Event().wait()  # the client stays until it is answered
        return {"type": "http.request", "body": bodies.pop(), "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope: Any = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST",
        "scheme": "http", "path": "/tools/transfer", "raw_path": b"/tools/transfer",
        "query_string": b"", "root_path": "",
        "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
        "headers": [
            (b"host", b"127.0.0.1"), (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            *([(b"idempotency-key", header)] if header else []),
        ],
    }  # fmt: skip
    await application()(scope, receive, send)
    return int(sent[0]["status"])


def sealed(data: bytes) -> bool:
    """A text of a waiting call: any other than the one that was written is denied."""
    resumed = tools().resume(data, key=KEY)
    is_right = check(resumed)
    assert not is_right or json.loads(data) == json.loads(waiting())
    check(tools().resume(data))
    return is_right


@cache
def waiting() -> str:
    prepared = tools()["refund"].prepare({"order": 7})
    assert isinstance(prepared, Prepared)
    return prepared.to_json(key=KEY)


SURFACES: Final[dict[str, Callable[[bytes], bool]]] = {
    one.__name__: one
    for one in (
        arguments, definitions, declarations, lift, responses, streams, envelopes, rows, documents,
        bodies, sealed,
    )
}  # fmt: skip
