"""Calls that wait for a person, over HTTP: `GET /approvals`, `GET` and `POST /approvals/ID`.

A call is kept in the state file with the principal who asked. An approver, who is never the
caller, decides it: once, within an hour, and as the approver saw it. It then runs with the caller's
context, which a function of the program makes from the principal. The result is the caller's alone.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from toolhaft.call import report
from toolhaft.call.edit import Edit
from toolhaft.call.internals import edit_of, view_of
from toolhaft.call.outcome import Err, Ok
from toolhaft.call.permission import Deny, run_or_decline
from toolhaft.definition.names import escape_text, fold_name
from toolhaft.jsonio import jsontext
from toolhaft.jsonio.jsondata import to_json_data
from toolhaft.serve.access import name_caller
from toolhaft.serve.approvers import MOST_REASON_CHARS, Decider, read_decision
from toolhaft.serve.catalogue import Catalogue
from toolhaft.serve.context import Caller, make_context
from toolhaft.serve.guard import require_json
from toolhaft.serve.limits import Limits
from toolhaft.serve.request import READING, Head, read_body, require_method
from toolhaft.serve.responses import Receive, Refused, Scope, Send, respond_json, to_response
from toolhaft.serve.sealing import Sealing
from toolhaft.serve.state import Decided, State, Waiting

if TYPE_CHECKING:
    from toolhaft.call.prepared import Prepared

__all__ = ["APPROVALS", "Decisions"]

APPROVALS: Final = b"/approvals"
ID_BYTES: Final = 16
WAITS_SECONDS: Final = 3600
MOST_WAITING: Final = 100
UNKNOWN: Final = "no call with this id; see /approvals"
# Responses when the state file fails: the status and the text.
UNREADABLE: Final = 500, "the calls that wait cannot be read: the state file may be damaged"
UNWRITABLE: Final = "the state file cannot be written, perhaps because the disk is full"
UNSTORED: Final = 507, f"this call needs approval and was not stored, nor run: {UNWRITABLE}"
UNDECIDED: Final = 507, f"nothing was decided, and nothing ran: {UNWRITABLE}; decide again"
UNFINISHED: Final = 507, f"the decision was carried out, but its result is lost: {UNWRITABLE}"
LOG: Final = logging.getLogger("toolhaft.serve")


class Decisions:
    """The calls of one server that wait in its state file, sealed by `key` if it has one."""

    def __init__(
        self,
        decider: Decider,
        state: State,
        catalogue: Catalogue,
        limits: Limits,
        key: bytes | None = None,
    ) -> None:
        self._decider = decider
        self._state = state
        self._catalogue = catalogue
        self._limits = limits
        self._sealing = Sealing(key or state.secret("waiting"))
        self._running: set[asyncio.Task[Waiting]] = set()

    async def store(self, prepared: Prepared[Any], caller: Caller) -> str:
        """Keep a call that waits; return the path at which its caller reads what became of it.

        Raises:
            Refused: Nothing tells its caller from others (403), too many of the caller's calls
                wait (429), or the disk does not take it (507).
        """
        if caller.owner is None:
            raise Refused(403, "this call needs approval; give the context an identity")
        now = time.time()
        call = self._seal(prepared, caller, sha256(caller.owner).digest(), now + WAITS_SECONDS)
        if not await self._use(UNSTORED, self._state.wait, call, MOST_WAITING, now, self._opens):
            words = f"{MOST_WAITING} calls of this caller wait already; wait for their decisions"
            raise Refused(429, words, (b"retry-after", b"60"))
        LOG.info("approval %s: %s waits, caller %s", call.id, prepared.name, call.caller)
        return f"/approvals/{call.id}"

    def _seal(self, prepared: Prepared[Any], caller: Caller, owner: bytes, until: float) -> Waiting:
        """Make the row of a call that waits."""
        call_id = secrets.token_hex(ID_BYTES)
        seal = self._sealing.seal
        return Waiting(
            id=call_id,
            owner=owner,
            principal=seal(jsontext.write(_principal(caller)), f"{call_id} principal"),
            caller=name_caller(caller),
            call=seal(prepared.to_json(key=self._sealing.key), f"{call_id} call"),
            shown=seal(jsontext.write(_shown(prepared)), f"{call_id} shown"),
            digest=prepared.digest,
            until=until,
            status="waiting",
        )

    async def who_decides(self, scope: Scope) -> str | None:
        """Return the name of the approver who sent a request; None if it is nobody."""
        from starlette.requests import Request

        name = await make_context(lambda _: self._decider.approver(Request(scope)), scope)
        return name if isinstance(name, str) and name else None

    async def answer(
        self, head: Head, receive: Receive, send: Send, caller: Caller | None, approver: str | None
    ) -> None:
        """Answer a request; `caller` is None if an approver sent it.

        Raises:
            Refused: The request is wrong, or its sender may not make it.
        """
        if head.path == APPROVALS:
            require_method(head, *READING)
            if approver is None:
                raise Refused(403, "only an approver reads this list; send an approver's token")
            await respond_json(send, {"approvals": await self.list_waiting()})
            return
        require_method(head, "POST", *READING)
        call = await self._find(head, caller)
        if head.method != "POST":
            described = self._for_approver(call) if caller is None else self._for_caller(call)
            await respond_json(send, described)
            return
        if approver is None:
            raise Refused(403, "only an approver decides; send an approver's token")
        require_json(head)
        decision = read_decision(await read_body(head, receive, self._limits))
        decided = await self._decide(call, decision, approver)
        await respond_json(send, self._for_approver(decided))

    async def list_waiting(self) -> list[dict[str, Any]]:
        """Describe the calls that wait to an approver; without calls that another key sealed."""
        return list(self.describe_waiting(await self.find_waiting()))

    async def find_waiting(self) -> list[Waiting]:
        """Find the calls that wait, the oldest first, still sealed."""
        found: list[Waiting] = await self._use(UNREADABLE, self._state.list_waiting, time.time())
        return found

    def find_own(self, calls: list[Waiting]) -> list[Waiting]:
        """Return those of the calls that this server can open; nobody here can decide others."""
        return [call for call in calls if self._opens(call.id, call.principal)]

    def describe_waiting(self, calls: list[Waiting]) -> Iterator[dict[str, Any]]:
        """Describe the calls that this server sealed, and leave out others."""
        for call in calls:
            with suppress(Refused):
                yield self._for_approver(call)

    async def _use(
        self, failure: tuple[int, str], method: Callable[..., Any], *arguments: Any
    ) -> Any:
        """Read or write the file.

        Raises:
            Refused: The disk does not take it, or the file is damaged.
        """
        try:
            return await self._state.run(method, *arguments)
        except sqlite3.Error as error:
            report.log_part("the calls that wait", error)
            raise Refused(*failure) from None

    def _for_approver(self, call: Waiting) -> dict[str, Any]:
        """Describe a call to an approver: the whole question, and no result."""
        described = _describe(call, "caller", "decision", "approver")
        if call.status == "waiting":
            described["prepared"] = jsontext.read(self._open(call, "shown"))
        return described

    def _for_caller(self, call: Waiting) -> dict[str, Any]:
        """Describe a call to its caller, with its result."""
        described = _describe(call, "decision", "note")
        if call.status == "waiting":
            described["prepared"] = jsontext.read(self._open(call, "shown"))
        if call.reason:
            described["reason"] = escape_text(call.reason, MOST_REASON_CHARS)
        if call.answer is not None:
            is_result = call.answer_status == HTTPStatus.OK
            answer = jsontext.read(self._open(call, "answer"))
            described["result" if is_result else "problem"] = answer
        return described

    async def _find(self, head: Head, caller: Caller | None) -> Waiting:
        sent = head.path[len(APPROVALS) + 1 :].decode("latin-1")
        find = self._state.find_waiting
        call: Waiting | None = await self._use(UNREADABLE, find, sent, time.time())
        owner = None if caller is None or caller.owner is None else sha256(caller.owner).digest()
        if call is None or (caller is not None and call.owner != owner):
            raise Refused(404, UNKNOWN)
        return call

    async def _decide(self, call: Waiting, decision: dict[str, Any], approver: str) -> Waiting:
        """Decide a call, and run it if it is approved, whatever becomes of the connection."""
        if call.status != "waiting":
            raise Refused(409, f"this call is {call.status}; only one that waits can be decided")
        principal = jsontext.read(self._open(call, "principal"))
        if _folded(approver) in map(_folded, _names_in([call.caller, principal])):
            raise Refused(403, "nobody decides their own call; ask another approver")
        if decision["digest"] != call.digest:
            raise Refused(409, "the digest is another one; read the call again before you decide")
        prepared = self._restore(call, decision)
        edit = None if isinstance(prepared, Err) else edit_of(prepared)
        note = (edit.note or None) if edit and decision["decision"] == "edit" else None
        decided = Decided(decision["decision"], approver, decision.get("reason"), note)
        running = asyncio.ensure_future(self._carry_out(call, prepared, decided, principal))
        self._running.add(running)
        running.add_done_callback(self._running.discard)
        return await asyncio.shield(running)

    def _opens(self, call_id: str, principal: bytes) -> bool:
        """Whether this server can open a call; another key may have sealed it."""
        return self._sealing.open(principal, f"{call_id} principal") is not None

    def _open(self, call: Waiting, part: str) -> str:
        """Open what is sealed of a call.

        Raises:
            Refused: Another key sealed it, such as the token of a former approver (409).
        """
        text = self._sealing.open(getattr(call, part), f"{call.id} {part}")
        if text is None:
            raise Refused(409, "this call was stored under another key; make it again")
        return text

    def _restore(self, call: Waiting, decision: dict[str, Any]) -> Prepared[Any] | Err:
        """Return the call that runs; an `Err` if it is denied and cannot run any more anyway.

        Raises:
            Refused: It cannot run any more (409), or its new arguments are invalid (422).
        """
        prepared = self._catalogue.tools.resume(self._open(call, "call"), key=self._sealing.key)
        if isinstance(prepared, Err):
            if decision["decision"] == "deny":
                return prepared
            raise Refused(409, prepared.text)
        if decision["decision"] != "edit":
            return prepared
        edit = Edit(decision["arguments"], notify_model=decision.get("notify_model", False))
        edited = edit.apply(prepared)
        if isinstance(edited, Err):
            raise Refused(422, edited.text)
        return edited

    async def _carry_out(
        self, call: Waiting, prepared: Prepared[Any] | Err, decided: Decided, principal: Any
    ) -> Waiting:
        context = await self._context_of(principal, decided)
        first = "denied" if decided.decision == "deny" else "running"
        decision = (call.id, first, decided, call.digest)
        if not await self._use(UNDECIDED, self._state.decide, *decision, time.time()):
            raise Refused(409, "this call was decided meanwhile; read it again")
        LOG.info("approval %s: %s by %s", call.id, decided.decision, decided.approver)
        try:
            outcome = await _run(prepared, decided, context)
            status = "denied" if isinstance(outcome, Err) and outcome.kind == "denied" else "done"
            response = to_response(outcome)
            sealed = self._sealing.seal(response.body.decode(), f"{call.id} answer")
            finished = (call.id, status, (response.status, sealed))
            await self._use(UNFINISHED, self._state.finish_waiting, *finished)
        except BaseException:  # the drain gave it up, or the disk is full
            self._state.submit(self._state.abandon, call.id)
            raise
        return call._replace(status=status, **decided._asdict())

    async def _context_of(self, principal: Any, decided: Decided) -> Any:
        """Make the context of the caller again; a caller who is gone can be denied without."""
        make = self._decider.context_of
        if make is None:
            return None
        try:
            return await make_context(lambda _: make(principal), None)
        except Refused:
            if decided.decision == "deny":
                return None
            raise

    async def drain(self) -> None:
        """Wait for the decided calls that run."""
        if self._running:
            await asyncio.wait(set(self._running))


def _describe(call: Waiting, *fields: str) -> dict[str, Any]:
    """Describe a call by what anybody who may read it reads, and some fields that it may have."""
    described = {"id": call.id, "status": call.status, "expires": int(call.until)}
    known = {name: getattr(call, name) for name in fields}
    return described | {name: value for name, value in known.items() if value is not None}


def _principal(caller: Caller) -> dict[str, Any]:
    """Return what is kept of a caller: the owner of the token, and the identity of the context."""
    identity = caller.context if caller.identity is None else caller.identity
    kept = {"client": caller.token_owner, "identity": to_json_data(identity)}
    return {**kept, "principal": caller.principal}


def _names_in(data: Any) -> Iterator[str]:
    """Yield the texts and numbers of JSON data: any may be the caller's name as an approver."""
    if isinstance(data, str | int):
        yield str(data)
    elif isinstance(data, dict | list):
        for one in data.values() if isinstance(data, dict) else data:
            yield from _names_in(one)


def _folded(name: str) -> str:
    """Write a name as people compare it: `Ann` may be `ann` elsewhere."""
    return fold_name(name).strip()


async def _run(prepared: Prepared[Any] | Err, decided: Decided, context: Any) -> Ok[Any] | Err:
    """Run a call that was approved, and decline another."""
    if isinstance(prepared, Err):
        return prepared
    answer: Any = Deny(decided.reason or "") if decided.decision == "deny" else True
    return await run_or_decline(prepared, answer, context, has_loop=True)


def _shown(prepared: Prepared[Any]) -> dict[str, Any]:
    arguments = to_json_data(view_of(prepared).shown)
    return {"name": prepared.name, "arguments": arguments, "digest": prepared.digest}
