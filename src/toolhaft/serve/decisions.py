"""Calls that wait for a person, over HTTP: `GET /approvals`, `GET` and `POST /approvals/ID`.

A call is kept in the state file with the principal who asked. An approver, who is never the
caller, decides it: once, within an hour, and as the approver saw it. It then runs with the caller's
context, which a function of the program makes from the principal. The result is the caller's alone.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable
from hashlib import sha256
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolhaft.call.internals import view_of
from toolhaft.call.outcome import Err, Ok
from toolhaft.call.permission import Deny, run_or_decline
from toolhaft.definition.names import escape_text
from toolhaft.definition.options import UNSET
from toolhaft.jsonio import jsontext
from toolhaft.jsonio.jsondata import to_json_data
from toolhaft.serve.access import name_caller
from toolhaft.serve.auth import OneToken
from toolhaft.serve.catalogue import Catalogue
from toolhaft.serve.context import Caller, make_context
from toolhaft.serve.guard import require_json
from toolhaft.serve.limits import Limits
from toolhaft.serve.problems import Refused, to_response
from toolhaft.serve.request import READING, Head, read_body, require_method
from toolhaft.serve.respond import Receive, Scope, Send, respond_json
from toolhaft.serve.state import State, Waiting
from toolhaft.tools.internals import may_wait, rules_of
from toolhaft.toolset.toolset import Toolset

if TYPE_CHECKING:
    from starlette.requests import Request

    from toolhaft.call.prepared import Prepared

__all__ = [
    "APPROVALS",
    "ApproverOf",
    "ContextOfPrincipal",
    "Decider",
    "Decisions",
    "fault_of_context",
    "one_approver",
]

# Returns the name of the approver who sent a request; None where it is nobody. Sync or async.
ApproverOf = Callable[["Request"], Any]
# Is given `{"client": ..., "identity": ...}`, and returns the context of that caller. Likewise.
ContextOfPrincipal = Callable[[dict[str, Any]], Any]

APPROVALS: Final = b"/approvals"
ID_BYTES: Final = 16
WAITS_SECONDS: Final = 3600
MOST_WAITING: Final = 100
MOST_REASON_CHARS: Final = 500
DEPTH: Final = 40
DECISIONS: Final = ("approve", "deny", "edit")
UNKNOWN: Final = "no call with this id; see /approvals"
LOG: Final = logging.getLogger("toolhaft.serve")


class Decider(NamedTuple):
    """Who decides calls, and how the context of their callers is made again."""

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
    """Give what is wrong where a call that waits would need a context that nothing makes again."""
    if decider.context_of is not None:
        return None
    for tool in tools:
        if may_wait(tool) and (tool.missing(UNSET) or rules_of(tool)["authorize"]):
            fix = "pass context_of_principal= (--context-of-principal)"
            return f"{tool.name}: it may wait for approval and uses the caller's context; {fix}"
    return None


class Decisions:
    """The calls of one server that wait in its state file."""

    def __init__(
        self, decider: Decider, state: State, catalogue: Catalogue, limits: Limits
    ) -> None:
        self._decider = decider
        self._state = state
        self._catalogue = catalogue
        self._limits = limits
        self._key = state.secret("waiting")
        self._running: set[asyncio.Task[Waiting]] = set()

    async def store(self, prepared: Prepared[Any], caller: Caller) -> str:
        """Keep a call that waits; return the path at which its caller reads what became of it.

        Raises:
            Refused: Nothing tells its caller from others (403), or too many of the caller's calls
                wait (429).
        """
        if caller.owner is None:
            raise Refused(403, "this call needs approval; give the context an identity")
        now = time.time()
        call = Waiting(
            id=secrets.token_hex(ID_BYTES),
            owner=sha256(caller.owner).digest(),
            principal=jsontext.write(_principal(caller)),
            caller=name_caller(caller),
            call=prepared.to_json(key=self._key),
            shown=jsontext.write(_shown(prepared)),
            digest=prepared.digest,
            until=now + WAITS_SECONDS,
            status="waiting",
        )
        if not await self._state.run(self._state.wait, call, MOST_WAITING, now):
            words = f"{MOST_WAITING} calls of this caller wait already; wait for their decisions"
            raise Refused(429, words, (b"retry-after", b"60"))
        LOG.info("approval %s: %s waits, caller %s", call.id, prepared.name, call.caller)
        return f"/approvals/{call.id}"

    async def who_decides(self, scope: Scope) -> str | None:
        """Return the name of the approver who sent a request; None where it is nobody."""
        from starlette.requests import Request

        name = await make_context(lambda _: self._decider.approver(Request(scope)), scope)
        return name if isinstance(name, str) and name else None

    async def answer(
        self, head: Head, receive: Receive, send: Send, caller: Caller | None, approver: str | None
    ) -> None:
        """Answer a request; `caller` is None where an approver sent it.

        Raises:
            Refused: The request is wrong, or its sender may not make it.
        """
        if head.path == APPROVALS:
            require_method(head, *READING)
            if approver is None:
                raise Refused(403, "only an approver reads this list; send an approver's token")
            listed = await self._state.run(self._state.list_waiting, time.time())
            await respond_json(send, {"approvals": [_for_approver(call) for call in listed]})
            return
        require_method(head, "POST", *READING)
        call = await self._find(head, caller)
        if head.method != "POST":
            described = _for_approver(call) if caller is None else _for_caller(call)
            await respond_json(send, described)
            return
        if approver is None:
            raise Refused(403, "only an approver decides; send an approver's token")
        if approver == call.caller:
            raise Refused(403, "nobody decides their own call; ask another approver")
        require_json(head)
        decision = _read_decision(await read_body(head, receive, self._limits))
        await respond_json(send, _for_approver(await self._decide(call, decision, approver)))

    async def _find(self, head: Head, caller: Caller | None) -> Waiting:
        sent = head.path[len(APPROVALS) + 1 :].decode("latin-1")
        call: Waiting | None = await self._state.run(self._state.find_waiting, sent, time.time())
        owner = None if caller is None or caller.owner is None else sha256(caller.owner).digest()
        if call is None or (caller is not None and call.owner != owner):
            raise Refused(404, UNKNOWN)
        return call

    async def _decide(self, call: Waiting, decision: dict[str, Any], approver: str) -> Waiting:
        """Decide a call, and run it if it is approved, whatever becomes of the connection."""
        if call.status != "waiting":
            raise Refused(409, f"this call is {call.status}; only one that waits can be decided")
        if decision["digest"] != call.digest:
            raise Refused(409, "the digest is another one; read the call again before you decide")
        prepared = self._restore(call)
        if decision["decision"] == "edit":
            edited = prepared.edited(decision["arguments"])
            if isinstance(edited, Err):
                raise Refused(422, edited.text)
            prepared = edited
        running = asyncio.ensure_future(self._carry_out(call, prepared, decision, approver))
        self._running.add(running)
        running.add_done_callback(self._running.discard)
        return await asyncio.shield(running)

    def _restore(self, call: Waiting) -> Prepared[Any]:
        prepared = self._catalogue.tools.resume(call.call, key=self._key)
        if isinstance(prepared, Err):
            raise Refused(409, prepared.text)
        return prepared

    async def _carry_out(
        self, call: Waiting, prepared: Prepared[Any], decision: dict[str, Any], approver: str
    ) -> Waiting:
        is_denial = decision["decision"] == "deny"
        context = await self._context_of(call)
        reason = decision.get("reason")
        decided = (call.id, "denied" if is_denial else "running", approver, reason, call.digest)
        if not await self._state.run(self._state.decide, *decided, time.time()):
            raise Refused(409, "this call was decided meanwhile; read it again")
        LOG.info("approval %s: %s by %s", call.id, decision["decision"], approver)
        answer: Any = Deny(reason or "") if is_denial else True
        outcome: Ok[Any] | Err = await run_or_decline(prepared, answer, context, has_loop=True)
        was_denied = isinstance(outcome, Err) and outcome.kind == "denied"
        status = "denied" if was_denied else "done"
        response = to_response(outcome)
        await self._state.run(self._state.finish_waiting, call.id, status, response[:3])
        return call._replace(status=status, approver=approver, reason=reason)

    async def _context_of(self, call: Waiting) -> Any:
        """Make the context of the caller again."""
        make = self._decider.context_of
        if make is None:
            return None
        principal = jsontext.read(call.principal)
        return await make_context(lambda _: make(principal), None)

    async def drain(self) -> None:
        """Wait for the decided calls that run."""
        if self._running:
            await asyncio.wait(set(self._running))


def _principal(caller: Caller) -> dict[str, Any]:
    """Give what is kept of a caller: the owner of the token, and the identity of the context."""
    identity = caller.context if caller.identity is None else caller.identity
    return {"client": caller.token_owner, "identity": to_json_data(identity)}


def _shown(prepared: Prepared[Any]) -> dict[str, Any]:
    arguments = to_json_data(view_of(prepared).shown)
    return {"name": prepared.name, "arguments": arguments, "digest": prepared.digest}


def _read_decision(body: bytes) -> dict[str, Any]:
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
        return 'send {"decision": "approve", "deny" or "edit", "digest": ...}'
    wanted = {"decision", "digest"}
    wanted |= {"arguments"} if decision["decision"] == "edit" else set()
    if not wanted <= decision.keys() <= wanted | {"reason"}:
        return f"it has {', '.join(sorted(wanted))} and may have a reason, and nothing else"
    if not isinstance(decision["digest"], str):
        return "the digest is that of the call as you saw it"
    if not isinstance(decision.get("arguments", {}), dict):
        return "the arguments are one object"
    reason = decision.get("reason", "")
    if not isinstance(reason, str) or len(reason) > MOST_REASON_CHARS:
        return f"the reason is a text of at most {MOST_REASON_CHARS} characters"
    return None


def _for_approver(call: Waiting) -> dict[str, Any]:
    """Describe a call to an approver: all that is asked, and no result."""
    described = {"id": call.id, "status": call.status, "expires": int(call.until)}
    named = {"caller": call.caller, "approver": call.approver}
    known = {name: value for name, value in named.items() if value is not None}
    shown = {"prepared": jsontext.read(call.shown)} if call.status == "waiting" else {}
    return {**described, **known, **shown}


def _for_caller(call: Waiting) -> dict[str, Any]:
    """Describe a call to its caller, with its result."""
    described: dict[str, Any] = {"id": call.id, "status": call.status, "expires": int(call.until)}
    if call.status == "waiting":
        described["prepared"] = jsontext.read(call.shown)
    if call.reason:
        described["reason"] = escape_text(call.reason, MOST_REASON_CHARS)
    if call.answer is not None:
        is_result = call.answer_status == HTTPStatus.OK
        described["result" if is_result else "problem"] = jsontext.read(call.answer)
    return described
