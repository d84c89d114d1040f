"""Write responses: JSON and problem details, with the headers that every answer has."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final, TypeAlias

from toolhaft.jsonio import jsontext
from toolhaft.serve.problems import JSON, Problem

__all__ = ["Receive", "Scope", "Send", "respond", "respond_json", "respond_problem"]

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Header: TypeAlias = tuple[bytes, bytes]

# Answers are not to be cached, and no browser may take one for a page or a script.
ALWAYS: Final[tuple[Header, ...]] = (
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
)


async def respond(
    send: Send, status: int, body: bytes, media_type: bytes = JSON, headers: tuple[Header, ...] = ()
) -> None:
    """Write a whole response."""
    length = (b"content-length", str(len(body)).encode())
    written = [(b"content-type", media_type), length, *ALWAYS, *headers]
    await send({"type": "http.response.start", "status": status, "headers": written})
    await send({"type": "http.response.body", "body": body})


async def respond_json(send: Send, data: Any, status: int = 200) -> None:
    """Write JSON data."""
    await respond(send, status, jsontext.write(data).encode())


async def respond_problem(send: Send, problem: Problem) -> None:
    """Write a problem."""
    await respond(send, problem.status, problem.content, problem.media_type, problem.headers)
