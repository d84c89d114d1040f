"""A prepared call that comes back from elsewhere: the same call of the same tool, or denied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolhaft.call import feedback
from toolhaft.call.call_options import CallOptions
from toolhaft.call.once_token import OnceToken, Used
from toolhaft.call.outcome import Err
from toolhaft.call.prepared import Prepared
from toolhaft.call.signing import as_floats
from toolhaft.call.types import Coercion

if TYPE_CHECKING:
    from toolhaft.call.boundary import Boundary

__all__ = ["coercions_in", "is_path", "refused", "restored"]

MALFORMED: Final = "the text does not hold a whole call"
MOST_RULE_CHARS: Final = 40
CHANGED: Final = "the tool or the arguments have changed since it was prepared"


def restored(boundary: Boundary, data: dict[str, Any], used: Used | None) -> Prepared[Any] | Err:
    """Make a call of what `Prepared.written` gave; it is checked from the start."""
    made = _restored(boundary, data, used)
    call_id = data.get("call_id")
    made.call_id = call_id if isinstance(call_id, str) else None
    return made


def _restored(boundary: Boundary, data: dict[str, Any], used: Used | None) -> Prepared[Any] | Err:
    arguments, nonce = data.get("arguments"), data.get("nonce")
    coercions = coercions_in(data.get("coercions"))
    whole = isinstance(arguments, dict) and isinstance(nonce, str) and len(nonce) > 0
    if not whole or coercions is None:
        return refused(boundary.rules, MALFORMED)
    if not boundary.own.pipeline.schema.has_decimals:
        arguments = as_floats(arguments)
    ticket = OnceToken(nonce, used)
    made = boundary.own.prepare(arguments, ticket)
    if isinstance(made, Err) or made.digest != data.get("digest"):
        return refused(boundary.rules, CHANGED)
    if ticket.spent:
        return Err("denied", feedback.SPENT, boundary.rules)
    made.coercions = coercions
    return made


def coercions_in(data: Any) -> tuple[Coercion, ...] | None:
    """Read coercions back; None where they are none."""
    if not isinstance(data, list):
        return None
    found = []
    for one in data:
        match one:
            case [list(path), str(rule)] if is_path(path) and _is_rule(rule):
                found.append(Coercion(tuple(path), rule))
            case _:
                return None
    return tuple(found)


def is_path(steps: list[Any]) -> bool:
    """Whether these are keys and places."""
    return all(type(step) in (str, int) for step in steps)


def _is_rule(word: str) -> bool:
    """A rule is one word, which goes to logs as it is."""
    return word.isascii() and word.isidentifier() and len(word) <= MOST_RULE_CHARS


def refused(rules: CallOptions, reason: str) -> Err:
    """Say why a call cannot be resumed."""
    return Err("denied", feedback.not_resumed(reason), rules)
