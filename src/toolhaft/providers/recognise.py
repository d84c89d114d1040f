"""Recognise the provider of a response, for the error that names the right target.

Only fields that one wire has and the others lack are examined, so a wire that several targets share
is recognised as all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

from toolhaft.call.report import class_name
from toolhaft.errors import ToolhaftError, WireError
from toolhaft.providers.response import Part

__all__ = ["explain_wire_errors", "recognise", "require_own_shape"]

Recognise: TypeAlias = Callable[[Part], bool]


def _has_list(response: Part, key: str) -> bool:
    return isinstance(response.get(key), list | tuple)


def _has_block(response: Part, key: str) -> bool:
    """Return whether a block of the content has a field."""
    return _has_list(response, "content") and any(
        block.get(key) is not None for block in response.parts("content")
    )


def _is_message(response: Part) -> bool:
    return response.either("message") is not None and not _has_list(response, "choices")


def _is_converse(response: Part) -> bool:
    output = None if _has_list(response, "output") else response.either("output")
    message = output and output.either("message")
    return _has_block(response if message is None else message, "toolUse") or (
        message is not None and _has_list(message, "content")
    )


SHAPES: Final[dict[tuple[str, ...], Recognise]] = {
    ("openai",): lambda response: _has_list(response, "output"),
    ("openai-chat", "mistral", "xai"): lambda response: _has_list(response, "choices"),
    ("anthropic",): lambda response: _has_block(response, "type"),
    ("gemini", "gemini-openapi"): lambda response: _has_list(response, "candidates"),
    ("bedrock",): _is_converse,
    ("cohere",): lambda response: (
        _is_message(response) and isinstance(response.get("finish_reason"), str)
    ),
    ("ollama",): lambda response: _is_message(response) and isinstance(response.get("done"), bool),
    ("mcp", "mcp-2025-11-25"): lambda response: (
        response.get("jsonrpc") == "2.0" and isinstance(response.get("method"), str)
    ),
}


def recognise(response: Any) -> tuple[str, ...]:
    """Name the targets whose response an object may be; empty if no target fits."""
    part = Part("", response)
    return tuple(target for targets, is_own in SHAPES.items() if is_own(part) for target in targets)


def require_own_shape(target: str, response: Any) -> None:
    """Refuse a response without calls that is another target's, and so may have some.

    Raises:
        WireError: It has another target's fields, and not this one's.
    """
    targets = recognise(response)
    if targets and target not in targets and target != "text":
        raise WireError(target, "response", "of another shape, without a call")


@contextmanager
def explain_wire_errors(target: str, response: Any) -> Generator[None]:
    """Turn whatever reading a response raises into a `WireError`, with what the object looks like.

    Raises:
        WireError: The response cannot be read.
    """
    try:
        yield
    except WireError as error:
        prefix = f"{error.provider}: {error.field}: "
        reason, field = str(error).removeprefix(prefix), error.field
    except ToolhaftError:
        raise
    except Exception as error:  # noqa: BLE001  an object of any shape may raise when it is read
        reason, field = f"cannot be read: reading it raised {class_name(type(error))}", "response"
    else:
        return
    raise WireError(target, field, "; ".join(filter(None, (reason, _hint(target, response)))))


def _hint(target: str, response: Any) -> str:
    """Describe what a response looks like, with the fix; empty if it is not recognised."""
    kind = type(response)
    if hasattr(kind, "__await__"):
        return "this is an awaitable: await it first"
    if hasattr(kind, "__next__") or hasattr(kind, "__aiter__"):
        return "this is a stream: put it together by collect first"
    try:
        targets = recognise(response)
    except Exception:  # noqa: BLE001  an object of any shape may raise when it is read
        return ""
    if not targets or target in targets:
        return ""
    named = " or ".join(filter(None, (", ".join(targets[:-1]), targets[-1])))
    return f"this looks like a response of {named}: export to that target"
