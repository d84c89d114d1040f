"""Ask a model through the client that its provider's SDK gives, or through one's own.

A client is known by what it offers, so that no SDK is imported; read on 2026-11-21 from openai
3.52.0, anthropic 2.11.0 and google-genai 2.34.0.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeAlias

from toolhaft.errors import ToolhaftError
from toolhaft.toolset.export import Export

__all__ = ["Ask", "events_of", "make_ask", "target_of"]

Ask: TypeAlias = Callable[[list[Any]], Awaitable[Any]]


class Endpoint(NamedTuple):
    """Where a client takes requests for a target, under which name the messages, and streams."""

    path: str
    messages: str = "messages"
    streams: str = ""


CHAT: Final = Endpoint("chat.completions.create")
GEMINI: Final = Endpoint(
    "models.generate_content", "contents", streams="models.generate_content_stream"
)
# A client is taken for the first target whose endpoint it has.
ENDPOINTS: Final = {
    "openai": Endpoint("responses.create", "input"),
    "anthropic": Endpoint("messages.create"),
    "gemini": GEMINI,
    "openai-chat": CHAT,
    "gemini-openapi": GEMINI,
    "xai": CHAT,
}
END: Final = object()
CALLABLE: Final = Endpoint("__call__")


def target_of(client: Any, /) -> str:
    """Give the target that a client speaks.

    Raises:
        ToolhaftError: It cannot be known.
    """
    targets = (
        target
        for target, endpoint in ENDPOINTS.items()
        if _method(client, endpoint.path) is not None
    )
    target: str | None = client.target if hasattr(client, "target") else next(targets, None)
    if target is None:
        reason = "not a client that is known by what it offers"
        raise ToolhaftError(f"run: {reason}; pass the tools as an export of the client's target")
    return target


def make_ask(client: Any, wire: Export, options: Mapping[str, Any], /, *, stream: bool) -> Ask:
    """Give the function that sends messages, with the tools and options, and gives the response.

    Raises:
        ToolhaftError: The client has no interface for the export's target.
    """
    endpoint = CALLABLE if callable(client) else ENDPOINTS.get(wire.target, CALLABLE)
    stream_method = (
        stream and endpoint.streams
    )  # some clients stream by another method, others by a parameter
    create = _method(client, stream_method or endpoint.path)
    if create is None:
        fix = "export the tools for a target of the client"
        raise ToolhaftError(f"run: the client has no interface for {wire.target}; {fix}")
    request = _merge_request(options, wire.request) | (
        {"stream": True} if stream and not stream_method else {}
    )

    async def ask(messages: list[Any]) -> Any:
        return await _send(create, {**request, endpoint.messages: messages})

    return ask


def events_of(response: Any, /) -> AsyncIterator[Any] | None:
    """Give the events of a response that is a stream; None where it came in one piece."""
    if hasattr(response, "__aiter__"):
        events: AsyncIterator[Any] = response
        return events
    return _events_from_thread(response) if hasattr(response, "__next__") else None


async def _events_from_thread(events: Any) -> AsyncIterator[Any]:
    while (event := await asyncio.to_thread(next, events, END)) is not END:
        yield event


def _method(client: Any, path: str) -> Any:
    """Find a client's method; google-genai keeps the asynchronous ones under `aio`."""
    try:
        return attrgetter(path)(getattr(client, "aio", client))
    except AttributeError:
        return None


async def _send(create: Callable[..., Any], request: dict[str, Any]) -> Any:
    """Send a request without blocking the loop: a synchronous client runs in a thread."""
    if inspect.iscoroutinefunction(inspect.unwrap(create)):
        return await create(**request)
    response = await asyncio.to_thread(create, **request)
    return await response if inspect.isawaitable(response) else response


def _merge_request(options: Mapping[str, Any], request: Mapping[str, Any]) -> dict[str, Any]:
    """Merge a request into options: lists and objects that are in both are joined."""
    joined = dict(options)
    for key, value in request.items():
        option = options.get(key)
        if isinstance(option, Mapping) and isinstance(value, Mapping):
            joined[key] = _merge_request(option, value)
        elif isinstance(option, list) and isinstance(value, list):
            joined[key] = [*option, *value]
        else:
            joined[key] = value
    return joined
