"""Describe a waiting call to a person, and make sure that the approved call is the one shown.

A framework that resumes prepares the call again: a default factory may return another value, and
the tool may be another one. An answer that includes the `call` that was shown runs exactly that
call, if only the values of factories differ. The person who answers cannot change an argument that
was sent. An answer without it is accepted if only the model's arguments fill the call. An answer
with `{"edit": {...}}`, all arguments by the names that were shown, is an `Edit`; with
`"notify_model": True` the model reads which of them changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolhaft.call.edit import Edit
from toolhaft.call.feedback import thaw
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

__all__ = ["UNSHOWN", "describe_call", "digest_call", "find_shown", "is_edit"]

# In a framework that cannot return it, such a tool needs a default without a factory.
UNSHOWN: Final = (
    "a default factory fills an argument, and the yes does not bring back the `call` that was shown"
)


INVALID_EDIT: Final = "the arguments of the edit are invalid"


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
        "arguments": thaw(prepared.arguments),
        "call_id": prepared.call_id,
        "digest": digest_call(tool, prepared),
        "call": {"arguments": prepared.json, "digest": prepared.digest},
    }


def find_shown(tool: AnyTool, prepared: Prepared[Any], shown: Any = None) -> Prepared[Any] | Err:
    """Return the call that was shown, else a denial; `shown` is the `call` in the answer.

    If that is an edit, return the call with its arguments.
    """
    handler = boundary_of(tool).handler_boundary
    if shown is None and not _has_factories(tool):
        return prepared
    match shown:
        case {"edit": dict(arguments)}:
            return _edit(tool, prepared, Edit(arguments, notify_model=_notifies(shown)))
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
    return _refuse(tool, prepared, UNSHOWN if shown is None else CHANGED)


def is_edit(answer: Any) -> bool:
    """Whether an answer is an edit, as JSON data."""
    return (
        isinstance(answer, dict)
        and isinstance(answer.get("edit"), dict)
        and answer.keys() <= {"edit", "notify_model"}
    )


def _notifies(answer: dict[str, Any]) -> bool:
    return answer.get("notify_model") is True


def _edit(tool: AnyTool, prepared: Prepared[Any], edit: Edit) -> Prepared[Any] | Err:
    """Return the edited call; the text of a denial holds no name that the model does not know."""
    return edit.apply(prepared) or _refuse(tool, prepared, INVALID_EDIT)


def _refuse(tool: AnyTool, prepared: Prepared[Any], reason: str) -> Err:
    refusal = to_refusal(boundary_of(tool).handler_boundary.options, reason)
    refusal.call_id = prepared.call_id
    return refusal


def _has_factories(tool: AnyTool) -> bool:
    return has_factories(boundary_of(tool).handler_boundary.pipeline.adapter)
