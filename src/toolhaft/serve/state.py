"""The file that idempotency keys are kept in: SQLite, for its owner alone, one server at a time.

Keys and bodies are kept as digests; an answer is kept as it was sent. Beside them stand the
approved calls that were made, which a server that starts later must not make again.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, NamedTuple
from weakref import finalize

from toolhaft.errors import ToolhaftError

__all__ = ["BEGUN", "Kept", "State", "StateError"]

BEGUN: Final = 0  # not a status of HTTP
KEPT_SECONDS: Final = 24 * 3600
EXPIRY_SECONDS: Final = 600  # a key may be kept that much longer
APPLICATION_ID: Final = 0x74_68_73_31  # "ths1"
TABLES: Final = """
CREATE TABLE IF NOT EXISTS calls (
    key BLOB PRIMARY KEY, fingerprint BLOB NOT NULL, begun REAL NOT NULL,
    status INTEGER NOT NULL, body BLOB NOT NULL, media_type BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS approved (nonce TEXT PRIMARY KEY, made REAL NOT NULL) WITHOUT ROWID;
"""


class StateError(ToolhaftError):
    """The file of keys cannot be used, and why."""


class Kept(NamedTuple):
    """The row of a key: its call and its answer; without an answer the status is BEGUN."""

    fingerprint: bytes
    status: int
    body: bytes
    media_type: bytes


class State:
    """An open file of keys.

    Raises:
        StateError: It is another file, damaged, readable by others, or in use.
    """

    def __init__(self, path: str) -> None:
        _make_private(path)
        # SQLite blocks on the disk: one thread runs all statements, one after the other.
        self._thread = ThreadPoolExecutor(1, "toolhaft-state")
        self._process = os.getpid()
        self._next_expiry = 0.0
        try:
            # A server holds the lock for as long as it serves: waiting for it (timeout) is useless.
            # An absolute path, so that ":memory:" is a file too.
            self._connection = sqlite3.connect(
                Path(path).absolute(), timeout=0, isolation_level=None, check_same_thread=False
            )
            with ExitStack() as stack:
                stack.callback(self._connection.close)
                self._prepare(path)
                stack.pop_all()
        except sqlite3.Error as error:
            raise StateError(f"{path}: {_reason(error)}") from None
        # A forked process must not close the file at its end.
        finalize(self, self._connection.close).atexit = False

    def _prepare(self, path: str) -> None:
        run = self._connection.execute
        run("PRAGMA locking_mode=EXCLUSIVE")  # calls that another server began would look crashed
        [(identity,)] = run("PRAGMA application_id").fetchall()
        [(tables,)] = run("SELECT count(*) FROM sqlite_master").fetchall()
        if identity != APPLICATION_ID and tables:
            raise StateError(f"{path}: not a file of idempotency keys; name another")
        run("PRAGMA journal_mode=WAL")
        run("PRAGMA synchronous=FULL")  # commits survive a power cut
        run("BEGIN IMMEDIATE").execute("COMMIT")
        run(f"PRAGMA application_id={APPLICATION_ID}")
        if run("PRAGMA quick_check").fetchall() != [("ok",)]:
            raise StateError(f"{path}: damaged; restore it, or name another")
        self._connection.executescript(TABLES)

    async def run(self, method: Callable[..., Any], *arguments: Any) -> Any:
        """Call a method of this file outside the loop.

        Raises:
            sqlite3.Error: The disk did not take it, or this process was forked from that which
                opened the file: it has the file, and not the lock.
        """
        if os.getpid() != self._process:
            raise sqlite3.ProgrammingError("opened before a fork; open it in each process")
        return await asyncio.get_running_loop().run_in_executor(self._thread, method, *arguments)

    def begin(self, key: bytes, fingerprint: bytes, now: float) -> Kept | None:
        """Write down that a call begins; give what is there, if the key is known."""
        self._expire(now)
        run = self._connection.execute
        row = run(
            "SELECT fingerprint, status, body, media_type FROM calls WHERE key = ?", (key,)
        ).fetchone()
        if row is not None:
            return Kept(*row)
        run("INSERT INTO calls VALUES (?, ?, ?, ?, x'', x'')", (key, fingerprint, now, BEGUN))
        return None

    def finish(self, key: bytes, status: int, body: bytes, media_type: bytes) -> None:
        """Keep the answer of a call."""
        self._connection.execute(
            "UPDATE calls SET status = ?, body = ?, media_type = ? WHERE key = ?",
            (status, body, media_type, key),
        )

    def forget(self, key: bytes) -> None:
        """Forget a call that did nothing."""
        self._connection.execute("DELETE FROM calls WHERE key = ?", (key,))

    def spend(self, nonce: str, now: float) -> bool:
        """Write down that an approved call is made; say whether it was before."""
        self._expire(now)
        insert = "INSERT OR IGNORE INTO approved VALUES (?, ?)"
        return self._connection.execute(insert, (nonce, now)).rowcount == 0

    def _expire(self, now: float) -> None:
        if now < self._next_expiry:
            return
        self._connection.execute("DELETE FROM calls WHERE begun < ?", (now - KEPT_SECONDS,))
        self._connection.execute("DELETE FROM approved WHERE made < ?", (now - KEPT_SECONDS,))
        self._next_expiry = now + EXPIRY_SECONDS

    def close(self) -> None:
        self._connection.close()


def _make_private(path: str) -> None:
    """Create the file with mode 0600, or check that others cannot read or write it."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    except OSError as error:
        raise StateError(f"{path}: cannot be opened: {error.strerror}") from None
    mode = os.fstat(descriptor).st_mode
    os.close(descriptor)
    if not stat.S_ISREG(mode):
        raise StateError(f"{path}: not a regular file; name another")
    if os.name == "posix" and mode & 0o077:
        raise StateError(f"{path}: others may read or write it; chmod 600 it")


def _reason(error: sqlite3.Error) -> str:
    if "locked" in str(error):
        return "another server uses it; name another"
    if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
        return "not a file of idempotency keys, or damaged; name another"
    return f"cannot be used: {error}"
