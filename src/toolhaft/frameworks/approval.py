"""Describe a waiting call to a person, and make sure that the approved call is the one shown.

A framework that resumes prepares the call again: a default factory may return another value, and
the tool may be another one. An answer that includes the `call` that was shown runs exactly that
call, if only the values of factories differ: the person who answers cannot change an argument that
was sent. An answer without it is accepted if only the model's arguments fill the call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from toolhaft.call.internals import view_of
from toolhaft.call.outcome import Err
from toolhaft.call.prepared import Prepared
from toolhaft.call.preparing import CHANGED
from toolhaft.call.restoring import to_refusal
from toolhaft.call.signing import as_floats
from toolhaft.call.view import has_factories
from toolhaft.jsonio.canonical import digest
from toolhaft.tools.internals import boundary_of

if TYPE_CHECKING:
    from toolhaft.tools.tool import AnyTool

__all__ = ["UNSHOWN", "describe_call", "digest_call", "find_shown"]

# In a framework that cannot return it, such a tool needs a default without a factory.
UNSHOWN: Final = (
    "a default factory fills an argument, and the yes does not bring back the `call` that was shown"
)


def digest_call(tool: AnyTool, prepared: Prepared[Any]) -> str:
    """Return a digest of one call that stays the same when it is prepared again.

    Two calls with the same arguments have two digests.
    """
    name = prepared.digest
    if _has_factories(tool):
        name = digest({"sent": view_of(prepared).sent, "tool": boundary_of(tool).identity})
    return digest({"call_id": prepared.call_id, "digest": name})


def describe_call(tool: AnyTool, prepared: Prepared[Any]) -> dict[str, Any]:
    """Describe a call to a person: the arguments with defaults, and the `call` to bring back."""
    return {
        "tool": prepared.name,
        "arguments": _thaw(prepared.arguments),
        "call_id": prepared.call_id,
        "digest": digest_call(tool, prepared),
        "call": {"arguments": prepared.json, "digest": prepared.digest},
    }


def find_shown(tool: AnyTool, prepared: Prepared[Any], shown: Any = None) -> Prepared[Any] | Err:
    """Return the call that was shown, else a denial; `shown` is the `call` in the answer."""
    handler = boundary_of(tool).handler_boundary
    if shown is None and not _has_factories(tool):
        return prepared
    match shown:
        case {"digest": prepared.digest}:
            return prepared
        case {"arguments": dict(arguments), "digest": str(expected)}:
            is_exact = handler.pipeline.schema.has_decimals
            again = prepared.edited(arguments if is_exact else as_floats(arguments))
            if (
                isinstance(again, Prepared)
                and again.digest == expected
                and view_of(prepared).differs_in_factories(view_of(again))
            ):
                return again
        case _:
            pass
    refusal = to_refusal(handler.options, UNSHOWN if shown is None else CHANGED)
    refusal.call_id = prepared.call_id
    return refusal


def _has_factories(tool: AnyTool) -> bool:
    return has_factories(boundary_of(tool).handler_boundary.pipeline.adapter)


def _thaw(shown: Any) -> Any:
    """Return a read-only view as plain JSON data, which frameworks can store."""
    if isinstance(shown, Mapping):
        return {key: _thaw(item) for key, item in shown.items()}
    return [_thaw(item) for item in shown] if isinstance(shown, tuple) else shown
