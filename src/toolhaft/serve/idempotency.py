"""Idempotency keys: a call that acts runs once for a key, and its answer is kept for a day.

The start of a call is committed before the handler runs, so a process that is killed leaves a
trace: a call with an answer on disk never runs again, and a call without one may have acted, which
is the answer to its key from then on. (draft-ietf-httpapi-idempotency-key-header-07)
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Final, NamedTuple

from toolhaft.call import report
from toolhaft.jsonio import jsontext
from toolhaft.serve.responses import Problem, Refused, Response, location_of
from toolhaft.serve.state import BEGUN, State

__all__ = ["KEY_PATTERN", "Idempotency", "KeyedCall"]

KEY_PATTERN: Final = "^[!-~]{1,200}$"
WAITS: Final = 202
NOT_KEPT: Final = (b"idempotency-key-status", b"not-kept")
KEPT: Final = (b"idempotency-key-status", b"kept")
REPLAYED: Final = (b"idempotency-key-status", b"replayed")
UNKNOWN: Final = Problem(
    500,
    "A call with this key began and has no answer: it may have taken effect. "
    "Find out before you send it under another key.",
    {"kind": "runtime_error", "effect": "unknown", "retryable": False},
)


UNKNOWN_ANSWER: Final = Response(UNKNOWN.status, UNKNOWN.content, UNKNOWN.media_type)


class KeyedCall(NamedTuple):
    """A call that is made once for a key.

    `owner` is whose key it is, None where nobody knows; `content` all that tells one call from
    another. `run` makes it, True where it certainly did nothing, so that the key may be used again;
    `refuse` gives the answer of a caller who may not make it now.
    """

    owner: bytes | None
    content: bytes
    run: Callable[[], Awaitable[tuple[Response, bool]]]
    refuse: Callable[[], Awaitable[Response | None]]


class Idempotency:
    """Runs a call once for each key, if there is a file to keep keys in."""

    def __init__(self, state: State | None = None) -> None:
        self._state = state

    @property
    def are_kept(self) -> bool:
        """Whether there is a file of keys."""
        return self._state is not None

    def check(self, key: bytes, owner: bytes | None) -> None:
        """Check that a key can be kept, because ignoring one would break its promise.

        Raises:
            Refused: It is malformed, or there is no file, or nobody whose key it is (400).
        """
        if not re.match(KEY_PATTERN.encode(), key):
            raise Refused(400, "malformed idempotency key; send 1 to 200 visible ASCII characters")
        if self._state is None:
            raise Refused(400, "this server keeps no idempotency keys; start it with --state")
        if owner is None:
            raise Refused(
                400, "no idempotency key can be kept for this caller; give its context an identity"
            )

    async def run_once(self, key: bytes, call: KeyedCall) -> Response:
        """Run a call, or replay the answer that its key had to a caller who may still make it.

        Raises:
            Refused: The key cannot be kept (400), runs now (409), or was another call's (422).
        """
        self.check(key, call.owner)
        assert self._state is not None and call.owner is not None  # noqa: S101, PT018  checked
        digest = sha256(call.owner + b"\0" + key).digest()
        return await self._run_kept(self._state, digest, call)

    async def _run_kept(self, state: State, key: bytes, call: KeyedCall) -> Response:
        fingerprint = sha256(call.content).digest()
        try:
            known = await state.run(state.begin, key, fingerprint, time.time())
        except sqlite3.Error as error:
            report.log_part("the state of keys", error)
            raise Refused(
                503, "the idempotency key cannot be kept; nothing ran, send it again"
            ) from None
        if known is None:
            try:
                answer, did_nothing = await call.run()
            except BaseException:  # cancelled, say: it may have acted, and never gives an answer
                state.submit(state.finish, key, *UNKNOWN_ANSWER[:3])
                raise
            return answer.marked(await self._keep(state, key, answer, did_nothing=did_nothing))
        if known.runs:
            raise Refused(409, "a call with this key runs now; wait for its answer")
        if known.fingerprint != fingerprint:
            raise Refused(422, "this key was used for another call; use a new one")
        if (refusal := await call.refuse()) is not None:
            return refusal
        if known.status == BEGUN:
            return UNKNOWN_ANSWER.marked(REPLAYED)
        replayed = Response(known.status, known.body, known.media_type, (REPLAYED,))
        return replayed if known.status != WAITS else replayed.marked(location_of(known.body))

    async def _keep(
        self, state: State, key: bytes, answer: Response, *, did_nothing: bool
    ) -> tuple[bytes, bytes]:
        """Keep an answer; if that fails, the key stays marked as begun without an answer."""
        try:
            if did_nothing:
                await state.run(state.forget, key)
                return NOT_KEPT
            await state.run(state.finish, key, answer.status, _kept_body(answer), answer.media_type)
        except sqlite3.Error as error:
            report.log_part("the state of keys", error)
            return NOT_KEPT
        return KEPT


def _kept_body(answer: Response) -> bytes:
    """Return the body that is kept; of a call that waits without its arguments."""
    if answer.status != WAITS:
        return answer.body
    return jsontext.write(
        {name: value for name, value in jsontext.read(answer.body).items() if name != "prepared"}
    ).encode()
