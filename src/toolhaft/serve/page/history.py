"""The history of the calls that people made on the page, in the file of the server.

A row is written before a call runs, and completed when it has ended: one that never was is shown as
running while its process runs, else as unknown. Each row has a digest, since SQLite does not see
every damage. Rows are kept for thirty days, as the redactor of the program leaves them.
"""

from __future__ import annotations

import sqlite3
import time
from hashlib import sha256
from typing import Any, Final, NamedTuple

from toolhaft.call import report
from toolhaft.call.interrupts import raise_interrupt
from toolhaft.jsonio import jsontext
from toolhaft.jsonio.jsondata import to_json_data
from toolhaft.serve.access import name_caller
from toolhaft.serve.context import Caller
from toolhaft.serve.page.options import Redact
from toolhaft.serve.state import State

__all__ = ["History", "Row", "name_person"]

KEPT_SECONDS: Final = 30 * 24 * 3600
EXPIRY_SECONDS: Final = 600
PAGE: Final = 50
MOST_CHARS: Final = 1 << 20
DAMAGED: Final = "damaged"
HIDDEN: Final = "[the redactor failed]"
TABLE: Final = """
CREATE TABLE IF NOT EXISTS history (
    id INTEGER PRIMARY KEY AUTOINCREMENT, begun REAL NOT NULL, tool TEXT NOT NULL, caller TEXT,
    sent TEXT NOT NULL, process INTEGER NOT NULL, kind TEXT, seconds REAL, outcome TEXT,
    digest BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS history_of ON history (tool, id);
CREATE INDEX IF NOT EXISTS history_by ON history (caller, id);
"""
INSERT: Final = (
    "INSERT INTO history (begun, tool, caller, sent, process, digest) VALUES (?, ?, ?, ?, ?, ?)"
)
UPDATE: Final = "UPDATE history SET kind = ?, seconds = ?, outcome = ?, digest = ? WHERE id = ?"
# A damaged file may have a value of another type.
COLUMNS: Final = (
    "id, CAST(begun AS REAL), CAST(tool AS TEXT), CAST(caller AS TEXT), CAST(sent AS TEXT), "
    "CAST(process AS INTEGER), CAST(kind AS TEXT), CAST(seconds AS REAL), CAST(outcome AS TEXT), "
    "digest"
)


def name_person(caller: Caller) -> str:
    """Name a caller by its context; without one it is any of those who have the token."""
    return name_caller(caller._replace(token_owner=None)) or caller.token_owner or ""


class Row(NamedTuple):
    """One call: `sent` is the text of its arguments, `outcome` what the page showed, as JSON."""

    id: int
    begun: float
    tool: str
    caller: str | None
    sent: str
    process: int
    kind: str | None
    seconds: float | None
    outcome: str | None
    digest: bytes


class History:
    """The rows of one server; without a file nothing is kept."""

    def __init__(self, state: State | None, redact: Redact | None) -> None:
        self._state = state
        self._redact = redact
        self._next_expiry = 0.0
        if state is not None:
            state.connection.executescript(TABLE)

    @property
    def is_kept(self) -> bool:
        """Whether calls are kept at all."""
        return self._state is not None

    async def begin(self, tool: str, caller: str, sent: str) -> int | None:
        """Write that a call begins; return its id, or None if it is not kept."""
        if self._state is None:
            return None
        number: int | None = await self._try(self._begin, tool, caller, self._text(tool, sent))
        return number

    async def finish(self, id: int | None, tool: str, shown: dict[str, Any]) -> bool:
        """Write how a call ended; return whether that is kept."""
        if self._state is None or id is None:
            return False
        kept = self._data(tool, shown)
        ended = shown["outcome"]["kind"], shown["seconds"]
        return bool(await self._try(self._finish, id, *ended, kept))

    async def list_rows(self, caller: str, before: int | None, tool: str | None) -> dict[str, Any]:
        """List the rows of a caller, the newest first, with the cursor of the next page.

        Raises:
            sqlite3.Error: The file cannot be read.
        """
        if self._state is None:
            return {"rows": [], "next": None}
        rows: list[Row] = await self._state.run(self._list, caller, before, tool)
        shown = rows[:PAGE]
        more = shown[-1].id if len(rows) > PAGE else None
        return {"rows": [self._summary(row) for row in shown], "next": more}

    async def find(self, id: int, caller: str) -> dict[str, Any] | None:
        """Find one row of a caller, with its arguments and its outcome."""
        row: Row | None = None
        if self._state is not None:
            row = await self._state.run(self._find, id, caller)
        if row is None:
            return None
        summary = self._summary(row)
        outcome = None if summary["kind"] == DAMAGED else row.outcome
        shown = None if outcome is None else jsontext.read(outcome, max_bytes=1 << 24)
        return {**summary, "sent": row.sent, "shown": shown}

    async def _try(self, method: Any, *arguments: Any) -> Any:
        """Run statements; if the disk does not take them, the call goes on, and the page warns."""
        assert self._state is not None  # noqa: S101  the callers have looked
        try:
            return await self._state.run(method, *arguments)
        except sqlite3.Error as error:
            report.log_part("the history", error)
            return None

    def _begin(self, tool: str, caller: str, sent: str) -> int | None:
        assert self._state is not None  # noqa: S101
        now = time.time()
        self._expire(now)
        process = self._state.owner.id
        digest = _digest(tool, sent, None, None)
        values = (now, tool, caller, sent, process, digest)
        number = self._state.connection.execute(INSERT, values).lastrowid
        self._state.owner.running.add(_key(number))
        return number

    def _finish(self, id: int, kind: str, seconds: float, outcome: str) -> bool:
        assert self._state is not None  # noqa: S101
        self._state.owner.running.discard(_key(id))
        run = self._state.connection.execute
        [(tool, sent)] = run("SELECT tool, sent FROM history WHERE id = ?", (id,)).fetchall()
        digest = _digest(tool, sent, kind, outcome)
        return run(UPDATE, (kind, seconds, outcome, digest, id)).rowcount == 1

    def _list(self, caller: str, before: int | None, tool: str | None) -> list[Row]:
        assert self._state is not None  # noqa: S101
        wanted = [("id < ?", before), ("tool = ?", tool)]
        known = [(clause, value) for clause, value in wanted if value is not None]
        where = " AND ".join(["caller = ?", *(clause for clause, _ in known)])
        text = f"SELECT {COLUMNS} FROM history WHERE {where} ORDER BY id DESC LIMIT {PAGE + 1}"  # noqa: S608  no value is in it
        rows = self._state.connection.execute(text, [caller, *(value for _, value in known)])
        return [Row(*row) for row in rows.fetchall()]

    def _find(self, id: int, caller: str) -> Row | None:
        assert self._state is not None  # noqa: S101
        text = f"SELECT {COLUMNS} FROM history WHERE id = ? AND caller = ?"  # noqa: S608  as above
        row = self._state.connection.execute(text, (id, caller)).fetchone()
        return None if row is None else Row(*row)

    def _expire(self, now: float) -> None:
        assert self._state is not None  # noqa: S101
        if now >= self._next_expiry:
            delete = "DELETE FROM history WHERE begun < ?"
            self._state.connection.execute(delete, (now - KEPT_SECONDS,))
            self._next_expiry = now + EXPIRY_SECONDS

    def _summary(self, row: Row) -> dict[str, Any]:
        assert self._state is not None  # noqa: S101
        kind = row.kind
        if kind is None:
            runs = self._state.owner.runs(row.process, _key(row.id))
            kind = "running" if runs else "unknown"
        if row.digest != _digest(row.tool, row.sent, row.kind, row.outcome):
            kind = DAMAGED
        return {
            "id": row.id,
            "begun": row.begun,
            "tool": row.tool,
            "caller": row.caller,
            "kind": kind,
            "seconds": row.seconds,
            "preview": row.sent[:120],
        }

    def _text(self, tool: str, sent: str) -> str:
        """Return the text of arguments to keep: as sent, or as the redactor leaves it."""
        if self._redact is None:
            return sent if len(sent) <= MOST_CHARS else sent[:MOST_CHARS]
        try:
            data = jsontext.read(sent)
        except jsontext.JsonSyntaxError:
            data = sent
        return jsontext.write(self._redacted(tool, data))

    def _data(self, tool: str, shown: dict[str, Any]) -> str:
        """Return the outcome to keep, as text; of one that is too long, only how it ended."""
        kind = shown["outcome"]["kind"]
        hidden = {**shown, "recorded": None, "exports": {}}
        kept = shown
        if self._redact is not None:
            left = self._redacted(tool, shown["outcome"])
            kept = {**hidden, "outcome": {"value": left, "kind": kind}}
        text = jsontext.write(kept)
        if len(text) <= MOST_CHARS:
            return text
        return jsontext.write({**hidden, "outcome": {"text": "[too long to keep]", "kind": kind}})

    def _redacted(self, tool: str, data: Any) -> Any:
        assert self._redact is not None  # noqa: S101
        try:
            return to_json_data(self._redact(tool, data))
        except BaseException as error:  # noqa: BLE001  the program's function: better nothing than too much
            raise_interrupt(error)
            return HIDDEN


def _key(id: int | None) -> bytes:
    return f"history {id}".encode()


def _digest(*fields: str | None) -> bytes:
    return sha256(jsontext.write(list(fields)).encode()).digest()[:16]
