"""What a person is shown of a waiting call, and that the call which then runs is that one.

A host that is resumed prepares the call again: a default factory may give another value, and the
tool may be another one. An answer that brings back the `call` that was shown runs exactly that one;
one that does not is taken where nothing but the model's arguments fills the call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from toolhaft.call.outcome import Err
from toolhaft.call.restoring import CHANGED, to_refusal
from toolhaft.call.signing import as_floats
from toolhaft.call.view import has_factories
from toolhaft.jsonio.canonical import digest

if TYPE_CHECKING:
    from toolhaft.call.prepared import Prepared
    from toolhaft.tools.tool import AnyTool

__all__ = ["UNSHOWN", "describe_call", "digest_call", "find_shown", "name_sent"]

# Where the host has no way to bring it back, such a tool needs a default that is no factory.
UNSHOWN: Final = (
    "a default factory fills an argument, and the yes does not bring back the `call` that was shown"
)


def digest_call(prepared_digest: Any, call_id: str | None) -> str:
    """Give what names one call: two calls with the same arguments are two."""
    return digest({"call_id": call_id, "digest": prepared_digest})


def describe_call(prepared: Prepared[Any]) -> dict[str, Any]:
    """Give what to show: the arguments with every default, and the `call` to bring back."""
    return {
        "tool": prepared.name,
        "arguments": _thaw(prepared.arguments),
        "call_id": prepared.call_id,
        "digest": digest_call(prepared.digest, prepared.call_id),
        "call": {"arguments": prepared.json, "digest": prepared.digest},
    }


def name_sent(tool: AnyTool, prepared: Prepared[Any], sent: Any) -> str:
    """Give a name that a call keeps when it is prepared again, whatever factories fill in."""
    if not _has_factories(tool):
        return digest_call(prepared.digest, prepared.call_id)
    call = {"sent": sent, "tool": tool.boundary.identity}
    return digest_call(digest(call), prepared.call_id)


def find_shown(tool: AnyTool, prepared: Prepared[Any], shown: Any = None) -> Prepared[Any] | Err:
    """Give the call that was shown, `shown` being what came back of its `call`; else a denial."""
    handler = tool.boundary.handler_boundary
    if shown is None and not _has_factories(tool):
        return prepared
    match shown:
        case {"digest": prepared.digest}:
            return prepared
        case {"arguments": dict(arguments), "digest": str(expected)}:
            is_exact = handler.pipeline.schema.has_decimals
            again = prepared.edited(arguments if is_exact else as_floats(arguments))
            if not isinstance(again, Err) and again.digest == expected:
                return again
        case _:
            pass
    refusal = to_refusal(handler.options, UNSHOWN if shown is None else CHANGED)
    refusal.call_id = prepared.call_id
    return refusal


def _has_factories(tool: AnyTool) -> bool:
    return has_factories(tool.boundary.handler_boundary.pipeline.adapter)


def _thaw(shown: Any) -> Any:
    """Give a read-only view as plain JSON data, which hosts can store."""
    if isinstance(shown, Mapping):
        return {key: _thaw(item) for key, item in shown.items()}
    return [_thaw(item) for item in shown] if isinstance(shown, tuple) else shown
