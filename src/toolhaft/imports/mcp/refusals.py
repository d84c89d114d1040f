"""Translate the exceptions of a session into the kinds of an outcome.

The words of an error are the server's, and may be a crash's: they reach a model only if the
protocol defines them to be about the arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolhaft import vendors
from toolhaft.call.invalid import ForeignFailure, ForeignTimeout
from toolhaft.errors import ToolError
from toolhaft.spec import Issue
from toolhaft.toolset.foreign import refuse_input, refuse_output

__all__ = ["code_of", "to_refusal"]

TIMEOUTS: Final = (-32001, 408)  # mcp 1 has the status of HTTP
INVALID_PARAMS: Final = -32602
INPUT_REQUIRED: Final = "The tool asked for further input, which nobody here can give."


def code_of(error: BaseException) -> int | None:
    """Return the code of an error of the protocol, `MCPError`, or None of any other."""
    code = getattr(getattr(error, "error", None), "code", None)
    return code if isinstance(code, int) else None


def to_refusal(error: Exception, options: Mapping[str, Any], arguments: Any) -> Exception:
    """Return the exception by which the boundary understands an exception of the client.

    An exception without such a meaning is returned as it is: it is a crash.
    """
    code = code_of(error)
    if code in TIMEOUTS:
        return ForeignTimeout(options["name"], "no answer within the session's own time", "unknown")
    if code == INVALID_PARAMS:
        issue = Issue(str(error), (), "custom")
        adapter = vendors.adapt(options["input"])
        description = options.get("description", "")
        return refuse_input(options["name"], description, adapter, [issue], arguments)
    if code is not None:
        return ForeignFailure(f"error {code}: {error}")
    if type(error).__name__ == "ValidationError":  # pydantic's: not a result of the protocol
        return refuse_output(options["name"], None, [Issue("not a result of the protocol")])
    return _of_runtime_error(error, options) if isinstance(error, RuntimeError) else error


def _of_runtime_error(error: RuntimeError, options: Mapping[str, Any]) -> Exception:
    """Read the words of the official client, which has no other mark for what it refuses."""
    words = str(error)
    if "InputRequiredResult" in words:
        return ToolError(INPUT_REQUIRED)
    if "structured content" not in words and not words.startswith("Invalid schema for tool"):
        return error
    cause: Any = error.__cause__
    keyword = getattr(cause, "validator", None)
    message = f"refused by {keyword}" if keyword else "missing, or its schema cannot be applied"
    issue = Issue(message, tuple(getattr(cause, "absolute_path", ())), "value")
    return refuse_output(options["name"], options.get("output"), [issue])
