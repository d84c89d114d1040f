"""The right to run a prepared call once, also where the call travels as text."""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import Lock
from typing import Any, Final, TypeAlias

from toolhaft.call.callbacks import ask_callback

__all__ = ["OnceToken", "Used"]

# Marks a nonce as used, in one step, and says whether it was before; sync or async.
Used: TypeAlias = Callable[[str], Any]

LOCK: Final = Lock()
# What was run of the calls that travelled: one short text for each, as long as the process lives.
SPENT_NONCES: Final[set[str]] = set()


class OnceToken:
    """What a prepared call and its edited versions share: one of them runs, once.

    A call that becomes text takes a random nonce with it. Nonces that were spent are known to this
    process; a host with more than one passes `used`, which asks a store that all of them share.
    """

    __slots__ = ("_nonce", "_spent", "_used")

    def __init__(self, nonce: str | None = None, used: Used | None = None) -> None:
        self._nonce = nonce
        self._used = used
        self._spent = False

    @property
    def spent(self) -> bool:
        return self._spent or self._nonce in SPENT_NONCES

    @property
    def nonce(self) -> str:
        """What the ticket is known by elsewhere."""
        with LOCK:
            if self._nonce is None:
                self._nonce = os.urandom(16).hex()
                if self._spent:
                    SPENT_NONCES.add(self._nonce)
            return self._nonce

    async def spend(self, tool: str, *, has_loop: bool) -> bool:
        """Use the ticket up; True for the first who does."""
        with LOCK:
            if self.spent:
                return False
            self._spent = True
            if self._nonce is None:
                return True
            SPENT_NONCES.add(self._nonce)
        if self._used is None:
            return True
        return (await ask_callback(tool, self._used, self._nonce, has_loop=has_loop)).value is False
