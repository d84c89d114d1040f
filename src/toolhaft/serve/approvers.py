"""Approvers, who decide calls that wait over HTTP, and the decision that one of them sends."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolhaft.definition.options import UNSET
from toolhaft.jsonio import jsontext
from toolhaft.serve.auth import OneToken
from toolhaft.serve.responses import Refused
from toolhaft.tools.internals import may_wait, rules_of
from toolhaft.toolset.toolset import Toolset

if TYPE_CHECKING:
    from starlette.requests import Request

__all__ = [
    "MOST_REASON_CHARS",
    "ApproverOf",
    "ContextOfPrincipal",
    "Decider",
    "fault_of_context",
    "one_approver",
    "read_decision",
]

# Returns the name of the approver who sent a request; None if it is nobody. Sync or async.
ApproverOf = Callable[["Request"], Any]
# Is given `{"client": ..., "identity": ..., "principal": ...}`, and returns the context of that
# caller. Likewise.
ContextOfPrincipal = Callable[[dict[str, Any]], Any]

MOST_REASON_CHARS: Final = 500
DEPTH: Final = 40
DECISIONS: Final = ("approve", "deny", "edit")


class Decider(NamedTuple):
    """The approver of calls, and how the context of their callers is made again."""

    approver: ApproverOf
    context_of: ContextOfPrincipal | None = None


def one_approver(token: str) -> ApproverOf:
    """Return a function that recognizes one approver by a bearer token."""
    known = OneToken(token)

    def approver(request: Request) -> str | None:
        scheme, _, sent = request.headers.get("authorization", "").partition(" ")
        is_known = scheme.lower() == "bearer" and known.matches(sent.strip())
        return "approver" if is_known else None

    return approver


def fault_of_context(tools: Toolset, decider: Decider) -> str | None:
    """Return the fault of a server whose waiting calls need a context that nothing makes again."""
    if decider.context_of is not None:
        return None
    for tool in tools:
        if may_wait(tool) and (tool.missing(UNSET) or rules_of(tool)["authorize"]):
            fix = "pass context_of_principal= (--context-of-principal)"
            return f"{tool.name}: it may wait for approval and uses the caller's context; {fix}"
    return None


def read_decision(body: bytes) -> dict[str, Any]:
    """Read a decision strictly.

    Raises:
        Refused: It is none (422).
    """
    try:
        decision = jsontext.read(body, max_bytes=len(body) + 1, max_depth=DEPTH)
    except jsontext.JsonSyntaxError as fault:
        raise Refused(422, f"the decision is no JSON: {fault.message}") from None
    reason = _fault_of(decision)
    if reason is not None:
        raise Refused(422, f"the decision cannot be read: {reason}")
    return decision  # type: ignore[no-any-return]


def _fault_of(decision: Any) -> str | None:
    if not isinstance(decision, dict) or decision.get("decision") not in DECISIONS:
        return 'send an object such as {"decision": "approve", "digest": "..."}, or deny or edit'
    wanted = {"decision", "digest"}
    optional = {"reason"}
    if decision["decision"] == "edit":
        wanted, optional = wanted | {"arguments"}, optional | {"notify_model"}
    if not wanted <= decision.keys() <= wanted | optional:
        keys, more = ", ".join(sorted(wanted)), " and ".join(sorted(optional))
        return f"send {keys}, if you like {more}, and nothing else"
    return _fault_of_members(decision)


def _fault_of_members(decision: dict[str, Any]) -> str | None:
    if not isinstance(decision["digest"], str):
        return "send the digest of the call as you read it"
    if not isinstance(decision.get("arguments", {}), dict):
        return "the arguments are one object"
    if not isinstance(decision.get("notify_model", False), bool):
        return "notify_model is true or false"
    reason = decision.get("reason", "")
    if not isinstance(reason, str) or len(reason) > MOST_REASON_CHARS:
        return f"the reason is a text of at most {MOST_REASON_CHARS} characters"
    return None
