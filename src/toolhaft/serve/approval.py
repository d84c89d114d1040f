"""Ask the user of an MCP client to approve a call, as the revision allows.

An older client gets the question while the call waits. A newer one gets the answer that input is
required, and sends the call again with the user's answer and the sealed prepared call. The seal
holds for an hour, for the same call of the same caller. A client that cannot ask anybody, and a
caller without an identity, get the text of a call that waits, as an error.
"""

from __future__ import annotations

import asyncio
import hmac
import re
import secrets
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from toolhaft.call.call_options import CallOptions
from toolhaft.call.internals import view_of
from toolhaft.call.outcome import Err, Ok
from toolhaft.call.permission import Deny, run_or_decline
from toolhaft.call.restoring import to_refusal
from toolhaft.call.types import ToolCall
from toolhaft.definition.names import escape_json
from toolhaft.jsonio import jsondata, jsontext
from toolhaft.jsonio.canonical import canonical
from toolhaft.serve.context import Caller
from toolhaft.serve.messages import NEWEST_REVISION
from toolhaft.serve.state import State
from toolhaft.toolset.internals import dispatch_of
from toolhaft.toolset.toolset import Toolset

if TYPE_CHECKING:
    from toolhaft.call.prepared import Prepared

__all__ = ["Approvals"]

FORM: Final[dict[str, Any]] = {"type": "object", "properties": {}}
QUESTION: Final = "approval"
DECLINED: Final = Deny("the user declined")
WAITS_SECONDS: Final = 3600
FEWEST_KEY_BYTES: Final = 32
# An answer on its way for at most so long still counts when the server is stopped.
LAST_SECONDS: Final = 0.2
EXPIRED: Final = "it has expired, or belongs to another caller"
# The time of expiry in seconds since 1970, then the sealed call.
STATE: Final = re.compile(r"([0-9]{1,12}) (.*)", re.DOTALL)


class Approvals:
    """Asks for approval; `key` seals the calls that wait with the client.

    A process knows which it ran. With `state`, all processes that use the file know, and share its
    key unless they are given another.

    Raises:
        TypeError: The key is not bytes.
        ValueError: The key is short.
    """

    def __init__(self, key: object, state: State | None = None) -> None:
        if key is not None and not isinstance(key, bytes):
            raise TypeError("key is not bytes; pass os.urandom(32), the same for every process")
        if key is not None and len(key) < FEWEST_KEY_BYTES:
            raise ValueError("key is short; pass at least 32 random bytes")
        if state is not None:
            key = key or state.secret("approvals")
        self._key = key or secrets.token_bytes(FEWEST_KEY_BYTES)
        self._state = state
        self._questions: set[asyncio.Timeout] = set()  # the open ones
        self._stopped = False

    def stop(self) -> None:
        """Close open questions and ask no more: their callers learn that the call waits."""
        self._stopped = True
        until = asyncio.get_running_loop().time() + LAST_SECONDS
        while self._questions:
            self._questions.pop().reschedule(until)

    async def ask(self, context: Any, waiting: Err, params: Any, caller: Caller) -> Any:
        """Ask the client's user; return an outcome, or a result that requires input first."""
        from mcp.shared.exceptions import MCPError

        prepared = waiting.prepared
        assert prepared is not None  # noqa: S101  the call waits
        session = context.session
        capabilities = session.client_capabilities
        if capabilities is None or capabilities.elicitation is None:
            return waiting
        question = _question(prepared)
        if context.protocol_version >= NEWEST_REVISION:
            if caller.owner is None:  # anybody could come back with the answer
                return waiting
            return _require_answer(question, self._seal(prepared, params, caller))
        if self._stopped:
            return waiting
        try:
            async with self._open_question():
                answer = await session.elicit_form(question, FORM, context.request_id)
        except (MCPError, TimeoutError):  # the client has no way back, or the server stops
            return waiting
        return await _carry_out(prepared, answer.action, caller)

    @asynccontextmanager
    async def _open_question(self) -> AsyncGenerator[None]:
        """End the block by a TimeoutError when the server stops."""
        async with asyncio.timeout(None) as timeout:
            self._questions.add(timeout)
            try:
                yield
            finally:
                self._questions.discard(timeout)

    async def resume(self, tools: Toolset, params: Any, caller: Caller) -> Any:
        """Go on with a call that waited with the client; ask again if nobody answered."""
        state = STATE.fullmatch(params.request_state)
        if state is None or int(state[1]) <= time.time() or caller.owner is None:
            call = ToolCall(None, params.name, params.arguments)
            err = to_refusal(CallOptions(params.name), EXPIRED)
            return dispatch_of(tools).record_refusal(call, err, caller.context)
        key = self._key_of(state[1], params, caller)
        used = None if self._state is None else self._is_used
        prepared = tools.resume(state[2], key=key, used=used)
        if isinstance(prepared, Err):
            return prepared
        action = getattr((params.input_responses or {}).get(QUESTION), "action", None)
        if action is None:
            return _require_answer(_question(prepared), params.request_state)
        return await _carry_out(prepared, action, caller)

    def _seal(self, prepared: Prepared[Any], params: Any, caller: Caller) -> str:
        until = str(int(time.time()) + WAITS_SECONDS)
        return f"{until} {prepared.to_json(key=self._key_of(until, params, caller))}"

    def _key_of(self, until: str, params: Any, caller: Caller) -> bytes:
        """Derive the key of one caller, one call and one expiry, which seals it for them alone."""
        owner = (caller.owner or b"").hex()
        bound = canonical([until, owner, params.name, params.arguments or {}])
        return hmac.digest(self._key, bound, "sha256")

    async def _is_used(self, nonce: str) -> bool:
        """Mark a call as made; return whether any process with the file had made it before."""
        assert self._state is not None  # noqa: S101  asked only with a file
        return bool(await self._state.run(self._state.spend, nonce, time.time()))


def _require_answer(question: str, state: str) -> Any:
    """Return the result that has the client ask its user, and come back with the state."""
    from mcp import types

    form = types.ElicitRequestFormParams(message=question, requested_schema=FORM)
    return types.InputRequiredResult(
        input_requests={QUESTION: types.ElicitRequest(params=form)}, request_state=state
    )


async def _carry_out(prepared: Prepared[Any], action: str, caller: Caller) -> Ok[Any] | Err:
    answer = action == "accept" or DECLINED
    return await run_or_decline(prepared, answer, caller.context, has_loop=True)


def _question(prepared: Prepared[Any]) -> str:
    arguments = jsontext.write(jsondata.to_json_data(view_of(prepared).shown))
    return f"Run {prepared.name} with {escape_json(arguments)}?"
