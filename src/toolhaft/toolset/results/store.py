"""`Store`: where a toolset keeps the results that are too long for a model."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from time import time
from typing import Any, Final

from toolhaft.call.after_fork import renew_after_fork
from toolhaft.definition.options import fault_of_seconds
from toolhaft.errors import ToolhaftError
from toolhaft.jsonio.canonical import digest
from toolhaft.toolset.results.folder import Folder
from toolhaft.toolset.results.kept import Kept, KeptInMemory

__all__ = ["LEAST_CHARACTERS", "Store"]

ID: Final = re.compile("[0-9a-f]{24}")
ID_BYTES: Final = 12
# With less room there is nothing but the note that says how to read on.
LEAST_CHARACTERS: Final = 1_000
FORGET_EACH: Final = 60.0


class Store:
    r"""Keep results that are too long for a model, so that it can read on: `Toolset(results=)`.

    The model reads the beginning of such a result, its size and an id, and calls the built-in tool
    `read_result` for more. Results are kept in memory, or in a folder, which processes can share.

    Args:
        folder: A folder that only its user may read. It is created if it does not exist.
        key: A function of the context that returns text or a number, such as a user's id. A result
            can be read only in a context with the same key. Without it, anybody who knows the id
            can read a result.
        seconds: How long a result is kept.
        max_result_chars: How many characters of a result the model reads at once, for tools that do
            not set `max_result_chars`.
        max_results: How many results are kept in memory; the oldest are dropped.
        clock: A function that returns the time in seconds, for tests.

    Raises:
        ToolhaftError: The folder cannot be used or others may read it, a number is too small, or an
            argument has the wrong type.

    >>> from toolhaft import Toolset
    >>> def count(to: int) -> list[int]:
    ...     "Count."
    ...     return list(range(to))
    >>> tools = Toolset([count], results=Store(max_result_chars=1000))
    >>> text = tools.call_sync("count", {"to": 10_000}).text
    >>> len(text) <= 1000, text[:21], "of 10000 items" in text
    (True, '[0,\n1,\n2,\n3,\n4,\n5,\n6,', True)
    """

    def __init__(
        self,
        folder: str | Path | None = None,
        key: Callable[[Any], str | int | None] | None = None,
        *,
        seconds: float = 3600.0,
        max_result_chars: int = 16_000,
        max_results: int = 1_000,
        clock: Callable[[], float] = time,
    ) -> None:
        for option, is_right, fix in (
            ("folder", _is_path(folder), "pass the path of a folder, or None"),
            ("key", key is None or callable(key), "pass a function of the context"),
            ("clock", callable(clock), "pass a function that returns seconds"),
        ):
            if not is_right:
                raise ToolhaftError(f"Store: {option}: wrong type; {fix}")
        if not (_is_whole(max_result_chars, LEAST_CHARACTERS) and _is_whole(max_results, 1)):
            raise ToolhaftError(
                f"Store: allow at least {LEAST_CHARACTERS} characters and one result"
            )
        if not seconds or fault_of_seconds(seconds) is not None:
            raise ToolhaftError("Store: seconds: not a time above 0; pass how long to keep results")
        self.max_result_chars: int = max_result_chars
        self._folder = None if folder is None else Folder(folder)
        self.key: Callable[[Any], str | int | None] | None = key
        self._seconds, self._most, self._clock = seconds, max_results, clock
        self._memory: dict[str, Kept] = {}
        self._next_expiry = 0.0
        self.renew()
        renew_after_fork(self)

    def renew(self) -> None:
        """Make a new lock, in a process that was forked while another thread held it."""
        self._lock = Lock()

    def keep(self, data: Any, tool: str, context: Any) -> tuple[str, Kept]:
        """Keep a text or JSON data of a tool, and return its id.

        Args:
            data: The text or the data; nobody may change it later.
            tool: The name of the tool.
            context: The context of the call.
        """
        handle, now = secrets.token_hex(ID_BYTES), self._clock()
        fields = tool, self._owner(context), now + self._seconds
        self._forget(now)
        if self._folder is not None:
            return handle, self._folder.keep(handle, data, *fields)
        kept = KeptInMemory(data, *fields)
        with self._lock:
            self._memory[handle] = kept
            while len(self._memory) > self._most:
                del self._memory[next(iter(self._memory))]
        return handle, kept

    def find(self, id: str, context: Any) -> Kept | None:
        """Find a result that was kept for the same key and has not expired.

        Args:
            id: The id, as a model wrote it.
            context: The context of the call that reads.
        """
        if not ID.fullmatch(id):
            return None
        kept = self._memory.get(id) if self._folder is None else self._folder.find(id)
        if kept is None or kept.facts.until <= self._clock():
            return None
        return kept if kept.facts.owner == self._owner(context) else None

    def _owner(self, context: Any) -> str:
        """Return the digest of a context's key; a key that is none raises."""
        key = None if self.key is None else self.key(context)
        if not (key is None or type(key) in (str, int)):
            raise TypeError("Store: key: returned neither text nor a number")
        return digest([key])

    def _forget(self, now: float) -> None:
        with self._lock:
            if now < self._next_expiry:
                return
            self._next_expiry = now + min(FORGET_EACH, self._seconds)
            memory = self._memory.items()
            self._memory = {name: kept for name, kept in memory if kept.facts.until > now}
        if self._folder is not None:
            self._folder.forget(now - self._seconds)


def _is_path(value: object) -> bool:
    return isinstance(value, str | Path | None)


def _is_whole(value: object, least: int) -> bool:
    return type(value) is int and value >= least
