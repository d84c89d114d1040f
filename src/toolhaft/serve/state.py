"""The file that servers share: SQLite in WAL mode, readable by its user only, for many processes.

Keys and bodies are kept as digests; an answer is kept as it was sent. Beside them stand the
approved calls that were made, which no other process may make again, and the secret that seals
calls which wait with a client. Beside the file lies one of locks, by which processes know which of
them still run.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import sqlite3
import stat
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NamedTuple
from weakref import finalize

from toolhaft.errors import ToolhaftError
from toolhaft.serve.owners import Owner, has_locks, owner_of

__all__ = ["BEGUN", "Decided", "Kept", "State", "StateError", "Waiting"]

BEGUN: Final = 0  # not a status of HTTP
KEPT_SECONDS: Final = 24 * 3600
EXPIRY_SECONDS: Final = 600  # a key may be kept that much longer
BUSY_SECONDS: Final = 10  # so long a statement waits for another process that writes
KEY_BYTES: Final = 32
APPLICATION_ID: Final = 0x74_68_73_32  # "ths2"
TABLES: Final = """
CREATE TABLE IF NOT EXISTS calls (
    key BLOB PRIMARY KEY, fingerprint BLOB NOT NULL, begun REAL NOT NULL,
    owner INTEGER NOT NULL, status INTEGER NOT NULL, body BLOB NOT NULL, media_type BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS approved (nonce TEXT PRIMARY KEY, made REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS approvals (
    id TEXT PRIMARY KEY, owner BLOB NOT NULL, principal BLOB NOT NULL, caller TEXT,
    call BLOB NOT NULL, shown BLOB NOT NULL, digest TEXT NOT NULL, until REAL NOT NULL,
    status TEXT NOT NULL, process INTEGER NOT NULL, decision TEXT, approver TEXT, reason TEXT,
    note TEXT, answer_status INTEGER, answer BLOB
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS approvals_of ON approvals (owner, status);
CREATE TABLE IF NOT EXISTS secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
"""


class StateError(ToolhaftError):
    """The file of keys cannot be used, and why."""


class Kept(NamedTuple):
    """The row of a key: its call and its answer; without an answer the status is BEGUN.

    `runs` is whether its process may still answer.
    """

    fingerprint: bytes
    status: int
    body: bytes
    media_type: bytes
    runs: bool


class Decided(NamedTuple):
    """The decision of an approver; `note` is the caller's text about an edit."""

    decision: str
    approver: str
    reason: str | None = None
    note: str | None = None


class Waiting(NamedTuple):
    """A call that waits for a person, or waited: `shown` is what the person sees.

    `principal`, `call`, `shown` and `answer` are sealed. `status` is waiting, running, done,
    denied, expired, or unknown where its process ended.
    """

    id: str
    owner: bytes
    principal: bytes
    caller: str | None
    call: bytes
    shown: bytes
    digest: str
    until: float
    status: str
    process: int = 0
    decision: str | None = None
    approver: str | None = None
    reason: str | None = None
    note: str | None = None
    answer_status: int | None = None
    answer: bytes | None = None


# A damaged file may have a value of another type.
WAITING: Final = (
    "id, CAST(owner AS BLOB), CAST(principal AS BLOB), CAST(caller AS TEXT), CAST(call AS BLOB), "
    "CAST(shown AS BLOB), CAST(digest AS TEXT), "
    "min(max(CAST(until AS REAL), 0), 1e12), CAST(status AS TEXT), "
    "CAST(process AS INTEGER), CAST(decision AS TEXT), CAST(approver AS TEXT), "
    "CAST(reason AS TEXT), CAST(note AS TEXT), CAST(answer_status AS INTEGER), "
    "CAST(answer AS BLOB)"
)
FIND_WAITING: Final = f"SELECT {WAITING} FROM approvals WHERE id = ?"  # noqa: S608  no value is in it
LIST_WAITING: Final = (
    f"SELECT {WAITING} FROM approvals WHERE status = 'waiting' AND until > ? ORDER BY until"  # noqa: S608  as above
)
KEEP_WAITING: Final = (
    "INSERT INTO approvals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


class State:
    """An open file of keys.

    Raises:
        StateError: It is another file, damaged, readable by others, or cannot be locked.
        TypeError: The path is no text.
    """

    def __init__(self, path: str) -> None:
        if not isinstance(path, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError("state: expected the path of a file as text")
        if not path:
            raise StateError("the path of the state is empty; name a file")
        locks = f"{path}.locks"
        _make_private(path)
        _make_private(locks)
        try:
            self._owner = owner_of(locks)
        except OSError as error:
            raise StateError(f"{locks}: cannot be locked: {error.strerror}") from None
        # SQLite blocks on the disk: one thread runs all statements, one after the other.
        self._thread = ThreadPoolExecutor(1, "toolhaft-state")
        self._process = os.getpid()
        self._next_expiry = 0.0
        try:
            # An absolute path, so that ":memory:" is a file too.
            self._connection = sqlite3.connect(
                Path(path).absolute(),
                timeout=BUSY_SECONDS if has_locks() else 0,
                isolation_level=None,
                check_same_thread=False,
            )
            self._connection.text_factory = _decode
            with ExitStack() as stack:
                stack.callback(self._connection.close)
                with self._owner.preparing():
                    self._prepare(path)
                stack.pop_all()
        except sqlite3.Error as error:
            raise StateError(f"{path}: {_reason(error)}") from None
        # A forked process must not close the file at its end.
        finalize(self, self._connection.close).atexit = False

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection, for other tables of the same file; to be used inside `run`."""
        return self._connection

    @property
    def owner(self) -> Owner:
        """This process, as others that use the file see it."""
        return self._owner

    def _prepare(self, path: str) -> None:
        run = self._connection.execute
        if not has_locks():  # calls that another process began would look crashed
            run("PRAGMA locking_mode=EXCLUSIVE")
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

    def submit(self, method: Callable[..., Any], *arguments: Any) -> None:
        """Call a method of this file later, without waiting for it."""
        self._thread.submit(method, *arguments)

    def secret(self, name: str) -> bytes:
        """Return the secret of a name, the same in all processes that use the file."""
        run = self._connection.execute
        run("INSERT OR IGNORE INTO secrets VALUES (?, ?)", (name, secrets.token_bytes(KEY_BYTES)))
        [(value,)] = run("SELECT value FROM secrets WHERE name = ?", (name,)).fetchall()
        return bytes(value)

    @contextmanager
    def _writing(self) -> Generator[Callable[..., sqlite3.Cursor]]:
        """Run statements as one, which no other process comes between."""
        run = self._connection.execute
        run("BEGIN IMMEDIATE")
        try:
            yield run
        except BaseException:
            run("ROLLBACK")
            raise
        run("COMMIT")

    def begin(self, key: bytes, fingerprint: bytes, now: float) -> Kept | None:
        """Record that a call begins; return the record of the key, if it is known."""
        self._expire(now)
        with self._writing() as run:
            row = run(
                "SELECT fingerprint, status, body, media_type, owner FROM calls WHERE key = ?",
                (key,),
            ).fetchone()
            if row is None:
                values = (key, fingerprint, now, self._owner.id, BEGUN)
                run("INSERT INTO calls VALUES (?, ?, ?, ?, ?, x'', x'')", values)
        if row is None:
            self._owner.running.add(key)
            return None
        known, status, body, media_type, owner = row
        runs = status == BEGUN and self._owner.runs(owner, key)
        return Kept(known, status, body, media_type, runs)

    def finish(self, key: bytes, status: int, body: bytes, media_type: bytes) -> None:
        """Keep the answer of a call."""
        self._owner.running.discard(key)
        self._connection.execute(
            "UPDATE calls SET status = ?, body = ?, media_type = ? WHERE key = ?",
            (status, body, media_type, key),
        )

    def forget(self, key: bytes) -> None:
        """Forget a call that did nothing."""
        self._owner.running.discard(key)
        self._connection.execute("DELETE FROM calls WHERE key = ?", (key,))

    def spend(self, nonce: str, now: float) -> bool:
        """Record that an approved call is made; return whether it was made before."""
        self._expire(now)
        insert = "INSERT OR IGNORE INTO approved VALUES (?, ?)"
        return self._connection.execute(insert, (nonce, now)).rowcount == 0

    def wait(
        self, call: Waiting, most: int, now: float, opens: Callable[[str, bytes], bool]
    ) -> bool:
        """Keep a call that waits; False where its owner has `most` of them.

        Those whose principal `opens` cannot open do not count: nobody can decide them.
        """
        self._expire(now)
        with self._writing() as run:
            waiting = run(
                "SELECT id, CAST(principal AS BLOB) FROM approvals "
                "WHERE owner = ? AND status = 'waiting' AND until > ?",
                (call.owner, now),
            )
            has_room = sum(opens(*row) for row in waiting.fetchall()) < most
            if has_room:
                run(KEEP_WAITING, call)
        return has_room

    def find_waiting(self, id: str, now: float) -> Waiting | None:
        """Find a call by its id, with its status now."""
        self._expire(now)
        row = self._connection.execute(FIND_WAITING, (id,)).fetchone()
        return None if row is None else self._current(Waiting(*row), now)

    def list_waiting(self, now: float) -> list[Waiting]:
        """List the calls that wait, those first that expire first."""
        rows = self._connection.execute(LIST_WAITING, (now,))
        return [Waiting(*row) for row in rows.fetchall()]

    def decide(self, id: str, status: str, decided: Decided, digest: str, now: float) -> bool:
        """Decide a call that waits, once; its arguments and its principal are forgotten."""
        self._owner.running.add(id.encode())
        changed = 0
        try:
            changed = self._connection.execute(
                "UPDATE approvals SET status = ?, decision = ?, approver = ?, reason = ?, "
                "note = ?, process = ?, call = x'', shown = x'', principal = x'' "
                "WHERE id = ? AND digest = ? AND status = 'waiting' AND until > ?",
                (status, *decided, self._owner.id, id, digest, now),
            ).rowcount
        finally:
            if not changed:
                self.abandon(id)
        return bool(changed)

    def finish_waiting(self, id: str, status: str, answer: tuple[int, bytes]) -> None:
        """Keep the sealed answer of a call that was decided."""
        self._connection.execute(
            "UPDATE approvals SET status = ?, answer_status = ?, answer = ? WHERE id = ?",
            (status, *answer, id),
        )
        self.abandon(id)

    def abandon(self, id: str) -> None:
        """Run a decided call no longer: its end is unknown if it has no answer."""
        self._owner.running.discard(id.encode())

    def _current(self, call: Waiting, now: float) -> Waiting:
        if call.status == "waiting" and call.until <= now:
            return call._replace(status="expired")
        if call.status == "running" and not self._owner.runs(call.process, call.id.encode()):
            return call._replace(status="unknown")
        return call

    def _expire(self, now: float) -> None:
        """Forget what is too old; later if the disk is full, so that the file can be read."""
        if now < self._next_expiry:
            return
        run, kept_since = self._connection.execute, now - KEPT_SECONDS
        with suppress(sqlite3.OperationalError):
            run("DELETE FROM calls WHERE begun < ?", (kept_since,))
            run("DELETE FROM approved WHERE made < ?", (kept_since,))
            run("DELETE FROM approvals WHERE until < ?", (kept_since,))
            run(
                "UPDATE approvals SET status = 'expired', call = x'', shown = x'', "
                "principal = x'' WHERE status = 'waiting' AND until <= ?",
                (now,),
            )
            self._next_expiry = now + EXPIRY_SECONDS

    def close(self) -> None:
        self._connection.close()


def _make_private(path: str) -> None:
    """Create the file with mode 0600, or check that others cannot read or write it.

    A file that exists is not opened: closing it again would release the locks of this process.
    """
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        pass
    except OSError as error:
        raise StateError(f"{path}: cannot be opened: {error.strerror}") from None
    mode = os.lstat(path).st_mode
    if not stat.S_ISREG(mode):
        raise StateError(f"{path}: not a regular file; name another")
    if os.name == "posix" and mode & 0o077:
        raise StateError(f"{path}: others may read or write it; chmod 600 it")


def _decode(text: bytes) -> str:
    """Read a text, damaged or not; a digest or a seal tells."""
    return text.decode(errors="replace")


def _reason(error: sqlite3.Error) -> str:
    if "locked" in str(error):
        return "another process uses it; name another"
    if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
        return "not a file of idempotency keys, or damaged; name another"
    return f"cannot be used: {error}; restore it, or name another"
