"""Read who made a call, where a provider says that: the model, or code that runs there.

Forms were read on 2026-11-28 from openai 3.52.0 (`ResponseFunctionToolCall.caller`) and anthropic
2.11.0 (`ToolUseBlock.caller`). A caller that is absent is the model, as it was before there was
another. One of an unknown kind may call nothing, but its answer is written to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from toolhaft.call.types import AnyOrigin
from toolhaft.errors import WireError
from toolhaft.providers.response import Part

__all__ = ["CODE_EXECUTION", "is_code_execution", "is_program", "read_caller"]

# Anthropic's tool has a version, and its callers with it.
CODE_EXECUTION: Final = re.compile("code_execution_[0-9]{8}")


def read_caller(
    call: Part, is_programmatic: Callable[[dict[str, Any]], bool]
) -> tuple[dict[str, Any] | None, AnyOrigin]:
    """Return the caller of a call as plain data, if it is an object, and its kind."""
    if call.get("caller") is None:
        return None, "direct"
    try:
        caller = call.part("caller").plain()
    except WireError:
        return None, "unknown"
    if caller.get("type") == "direct":
        return caller, "direct"
    return caller, "programmatic" if is_programmatic(caller) else "unknown"


def is_program(caller: dict[str, Any]) -> bool:
    """Whether a caller is a program of OpenAI's programmatic tool calling."""
    return caller.get("type") == "program" and _is_id(caller.get("caller_id"))


def is_code_execution(caller: dict[str, Any]) -> bool:
    """Whether a caller is code that Anthropic's code execution tool runs."""
    kind = caller.get("type")
    is_version = isinstance(kind, str) and CODE_EXECUTION.fullmatch(kind) is not None
    return is_version and _is_id(caller.get("tool_id"))


def _is_id(value: object) -> bool:
    return isinstance(value, str) and bool(value)
