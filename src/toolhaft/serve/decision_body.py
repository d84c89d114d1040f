"""The body of `POST /approvals/ID`: the decision of an approver."""

from __future__ import annotations

from typing import Any, Final

from toolhaft.jsonio import jsontext
from toolhaft.serve.problems import Refused

__all__ = ["MOST_REASON_CHARS", "read_decision"]

MOST_REASON_CHARS: Final = 500
DEPTH: Final = 40
DECISIONS: Final = ("approve", "deny", "edit")


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
