"""Ask a model through the client that its provider's SDK gives, or through one's own.

A client is known by what it offers, so that no SDK is imported; read on 2026-11-21 from openai
3.52.0, anthropic 2.11.0 and google-genai 2.34.0.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import Any, Final, NamedTuple

from toolhaft.agents.requests import (
    check_options,
    merge_request,
    with_usage,
    without_forced_call,
)
from toolhaft.errors import ToolhaftError
from toolhaft.toolset.export import Export

__all__ = ["Model", "find_model", "target_of"]


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
CALLABLE: Final = Endpoint("")


def target_of(client: Any, /) -> str:
    """Return the target that a client speaks.

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
        known = "a client of OpenAI, Anthropic or Google"
        fix = f"pass {known}, or the tools as an export of its target"
        raise ToolhaftError(f"run: client: unknown; {fix}")
    return target


class Model(NamedTuple):
    """The model behind a client: how to call it, and the parameters beside the messages.

    A client that `is_async` can be cancelled. `later` are the parameters of every request but the
    first.
    """

    create: Callable[..., Any]
    messages: str
    request: dict[str, Any]
    later: dict[str, Any]
    is_async: bool

    async def ask(self, messages: list[Any], *, is_first: bool) -> Any:
        """Send a request without blocking the loop: a synchronous client runs in a thread."""
        request = {**(self.request if is_first else self.later), self.messages: messages}
        if self.is_async:
            return await self.create(**request)
        response = await asyncio.to_thread(self.create, **request)
        return await response if inspect.isawaitable(response) else response


def find_model(
    client: Any,
    wire: Export,
    options: Mapping[str, Any],
    own: Iterable[str],
    /,
    *,
    stream: bool,
    forces_every_turn: bool,
) -> Model:
    """Find the function of a client that sends messages, and what goes with them.

    `own` has the names of the options that are not the request's.

    Raises:
        ToolhaftError: The client has no interface for the export's target, or an option is
            misspelt.
    """
    endpoint = CALLABLE if callable(client) else ENDPOINTS.get(wire.target, CALLABLE)
    # Some clients stream by another method, others by a parameter.
    stream_method = stream and endpoint.streams
    create = client if callable(client) else _method(client, stream_method or endpoint.path)
    if create is None:
        fix = "export the tools for a target of the client"
        raise ToolhaftError(f"run: the client has no interface for {wire.target}; {fix}")
    check_options(options, own, create)
    streaming = {"stream": True} if stream and not stream_method else {}
    request = merge_request(options, wire.request) | streaming
    if streaming:
        request = with_usage(wire.target, request)
    later = request if forces_every_turn else without_forced_call(request)
    return Model(create, endpoint.messages, request, later, _is_async(create))


def _method(client: Any, path: str) -> Any:
    """Find a client's method; google-genai keeps the asynchronous ones under `aio`."""
    try:
        return attrgetter(path)(getattr(client, "aio", client))
    except AttributeError:
        return None


def _is_async(create: Callable[..., Any]) -> bool:
    functions = create, type(create).__call__  # an object may be a client, too
    return any(inspect.iscoroutinefunction(inspect.unwrap(function)) for function in functions)
