"""Restore a prepared call from its text: the same call of the same tool, or a denial."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, get_args

from toolhaft.call import feedback
from toolhaft.call.call_options import CallOptions
from toolhaft.call.callers import read_info
from toolhaft.call.edit import Decision
from toolhaft.call.internals import set_edit
from toolhaft.call.once_token import OnceToken, Used
from toolhaft.call.outcome import Err
from toolhaft.call.prepared import KIND, Prepared
from toolhaft.call.preparing import CHANGED
from toolhaft.call.signing import Key, VerificationFailed, as_floats, verify
from toolhaft.call.types import Coercion, Rule, ToolCall

if TYPE_CHECKING:
    from typing_extensions import TypeIs

    from toolhaft.call.boundary import Boundary

__all__ = ["is_path", "read_coercions", "read_text", "restore", "to_refusal"]

MALFORMED: Final = "the text does not hold a whole call"


def read_text(text: str | bytes, key: Key) -> dict[str, Any] | Err:
    """Read the data of the text of a prepared call, or deny it."""
    try:
        return verify(KIND, text, key)
    except VerificationFailed as fault:
        return to_refusal(CallOptions(""), str(fault))


def restore(boundary: Boundary, data: dict[str, Any], used: Used | None) -> Prepared[Any] | Err:
    """Restore a call from the data of `Prepared.written`; it is validated anew."""
    outcome = _restore(boundary, data, used)
    call_id, caller = data.get("call_id"), data.get("caller")
    outcome.call_id = call_id if isinstance(call_id, str) else None
    outcome.caller = caller if isinstance(caller, dict) else None
    return outcome


def _restore(boundary: Boundary, data: dict[str, Any], used: Used | None) -> Prepared[Any] | Err:
    arguments, nonce = data.get("arguments"), data.get("nonce")
    called = _for_call(boundary, data)
    coercions = read_coercions(data.get("coercions"))
    is_whole = isinstance(arguments, dict) and isinstance(nonce, str) and len(nonce) > 0
    if not is_whole or coercions is None or called is None:
        return to_refusal(boundary.options, MALFORMED)
    handler_boundary = called.handler_boundary
    if not handler_boundary.pipeline.schema.has_decimals:
        arguments = as_floats(arguments)
    token = OnceToken(nonce, used)
    prepared = handler_boundary.prepare_again(arguments, arguments, token)
    if isinstance(prepared, Err) and prepared.kind == "denied":  # who made it may not
        return prepared
    if isinstance(prepared, Err) or prepared.digest != data.get("digest"):
        return to_refusal(boundary.options, CHANGED)
    if token.spent:
        return Err("denied", feedback.SPENT, boundary.options)
    prepared.coercions, prepared.origin = coercions, data.get("origin", "direct")
    set_edit(prepared, _read_edit(data.get("edit"), prepared.digest))
    return prepared


def _read_edit(data: Any, digest: str) -> Decision | None:
    """Read what a person changed; None where nobody did."""
    match data:
        case [str(asked), [*changed]] if all(isinstance(name, str) for name in changed):
            return Decision(digest, asked, tuple(changed))
        case _:
            return None


def _for_call(boundary: Boundary, data: dict[str, Any]) -> Boundary | None:
    """Return the boundary of the call, which judges again who made it; None for no whole call.

    A text of a former version says neither who made it nor what is known of it.
    """
    origin, info = data.get("origin", "direct"), data.get("info")
    known = {} if info is None else read_info(info)
    if known is None or not isinstance(origin, str):
        return None
    called = boundary.for_call(ToolCall(None, boundary.options.name, origin=origin))  # type: ignore[arg-type]  # it is judged
    return called if called.info is None else called.with_info(called.info._replace(**known))


def read_coercions(data: Any) -> tuple[Coercion, ...] | None:
    """Read coercions back, or return None if the data have none."""
    if not isinstance(data, list):
        return None
    coercions = []
    for entry in data:
        match entry:
            case [list(path), str(rule)] if is_path(path) and _is_rule(rule):
                coercions.append(Coercion(tuple(path), rule))
            case _:
                return None
    return tuple(coercions)


def is_path(steps: list[Any]) -> bool:
    """Whether every step is a key or a position."""
    return all(type(step) in (str, int) for step in steps)


def _is_rule(word: str) -> TypeIs[Rule]:
    """Check whether a text is a rule: it goes to logs unescaped."""
    return word in get_args(Rule)


def to_refusal(options: CallOptions, reason: str) -> Err:
    """Make the outcome of a call that cannot be resumed."""
    return Err("denied", feedback.describe_not_resumed(reason), options)
