"""The token that lets a prepared call run once, also where the call was stored as text."""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import Lock
from typing import Any, Final, TypeAlias

from toolhaft.call.after_fork import renew_after_fork
from toolhaft.call.callbacks import ask_callback

__all__ = ["OnceToken", "Used"]

# Marks a nonce as used, in one step, and gives whether it was used before; sync or async.
Used: TypeAlias = Callable[[str], Any]


class _Spent:
    """The nonces of calls that were written as text and have run in this process."""

    def __init__(self) -> None:
        self.nonces: set[str] = set()
        self.renew()
        renew_after_fork(self)

    def renew(self) -> None:
        self.lock = Lock()


SPENT: Final = _Spent()


class OnceToken:
    """A token that a prepared call and its edited versions share: one of them runs, once.

    A call that is written as text has a random nonce. This process remembers the nonces that it
    spent; a host with several processes passes `used`, which asks a store that they share.
    """

    __slots__ = ("_nonce", "_spent", "_used")

    def __init__(self, nonce: str | None = None, used: Used | None = None) -> None:
        self._nonce = nonce
        self._used = used
        self._spent = False

    @property
    def spent(self) -> bool:
        return self._spent or self._nonce in SPENT.nonces

    @property
    def nonce(self) -> str:
        """The random text that identifies the token in other processes."""
        with SPENT.lock:
            if self._nonce is None:
                self._nonce = os.urandom(16).hex()
                if self._spent:
                    SPENT.nonces.add(self._nonce)
            return self._nonce

    async def spend(self, tool: str, *, has_loop: bool) -> bool:
        """Spend the token; True where nobody did before."""
        with SPENT.lock:
            if self.spent:
                return False
            self._spent = True
            if self._nonce is None:
                return True
            SPENT.nonces.add(self._nonce)
        if self._used is None:
            return True
        return (await ask_callback(tool, self._used, self._nonce, has_loop=has_loop)).value is False
