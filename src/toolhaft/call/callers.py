"""The caller of a call: judged before its arguments are read, and in the handler's `CallInfo`."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from toolhaft.call import feedback
from toolhaft.call.outcome import Err
from toolhaft.definition.call_info import CallInfo
from toolhaft.errors import ToolhaftError
from toolhaft.jsonio.canonical import digest

if TYPE_CHECKING:
    from toolhaft.call.call_options import CallOptions
    from toolhaft.call.types import ToolCall

__all__ = [
    "call_key",
    "caller_id",
    "deny_caller",
    "info_of",
    "read_info",
    "refuse_caller",
    "require_key",
    "with_deadline",
    "write_info",
]

# The kept parts of a call that waits; the rest is known again when it is made.
KEPT = ("id", "attempt", "principal", "key")


def refuse_caller(options: CallOptions, origin: str) -> Err | None:
    """Return the denial of a call whose caller may not make it, or None.

    A caller of an unknown kind may call nothing.
    """
    return None if origin in options.allowed_callers else deny_caller(options)


def deny_caller(options: CallOptions) -> Err:
    """Return the outcome of a call whose caller may not make it."""
    text = feedback.describe_caller(options.name, options.allowed_callers)
    return Err("denied", text, options)


def caller_id(caller: Any) -> str | None:
    """Return the id of the code that made a call; None for a model, and for an unknown form.

    >>> caller_id({"type": "program", "caller_id": "cm_1"}), caller_id({"type": "direct"})
    ('cm_1', None)
    """
    match caller:
        case {"caller_id": str(text)} | {"tool_id": str(text)}:
            return text
        case _:
            return None


def call_key(*parts: str | None) -> str:
    """Return an idempotency key that follows from texts alone.

    >>> call_key("turn 1", "call_1") == call_key("turn 1", "call_1") != call_key("turn 1call_1")
    True
    """
    return digest([*parts])


def require_key(where: str, key: object) -> None:
    """Check a key that a program gives for a response or a run.

    Raises:
        ToolhaftError: It is not a text, or is empty.
    """
    if key is not None and not (isinstance(key, str) and key):
        raise ToolhaftError(f"{where}: key: not a text, or empty; pass a text that names it alone")


def info_of(call: ToolCall, tool: str) -> CallInfo:
    """Return what is known of a call before it begins, with a random key if it came with none."""
    call_id, origin, key = call.provider_id, call.origin, call.key or os.urandom(16).hex()
    return CallInfo(call_id, tool, origin=origin, principal=call.principal, key=key)  # type: ignore[arg-type]  # one of an unknown caller reaches no handler


def with_deadline(info: CallInfo, timeout: float | None) -> CallInfo:
    """Return what is known of a call that begins now."""
    if timeout is None:
        return info
    return info._replace(deadline=datetime.now(UTC) + timedelta(seconds=timeout))


def write_info(info: CallInfo) -> dict[str, Any]:
    """Write what a call that waits keeps, as JSON data."""
    return {name: getattr(info, name) for name in KEPT}


def read_info(data: Any) -> dict[str, Any] | None:
    """Read the output of `write_info`; return None for anything else."""
    match data:
        case {
            "id": str() | None as call_id,
            "attempt": int() as attempt,
            "principal": str() | None as principal,
            "key": str() as key,
        } if type(attempt) is int and key:
            return {"id": call_id, "attempt": attempt, "principal": principal, "key": key}
        case _:
            return None
