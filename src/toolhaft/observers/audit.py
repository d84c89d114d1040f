"""An audit log: a file that only grows, one call a line, each line sealed with the one before."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from toolhaft.call.interrupts import raise_interrupt
from toolhaft.jsonio import jsondata
from toolhaft.observers import Finish, chain
from toolhaft.observers.details import CallDetails, CallStarted, Redactor, require_functions

__all__ = ["AuditLog"]

UNKNOWN_FACTS = "[the facts failed]"


class AuditLog:
    """Write every call to a file when it ends; `toolhaft audit verify` checks the file.

    An existing file is continued after a check of its last line. A file has one writer: a second
    log of the same file is rejected, and a forked process writes nothing. If a line cannot be
    written, an error is logged, and the call continues.

    Args:
        path: The file.
        key: A secret; nobody can rewrite the chain of lines without it.
        fsync: Whether a line is on the disk before the call returns.
        values: A function that redacts arguments and results; without it no value is recorded.
        facts: A function of the call that returns JSON data for its line, such as `lambda call:
            {"user": call.context.user}`.

    Raises:
        ChainError: The last line of the file was changed.
        OSError: The file cannot be opened, or another log writes it.
        ValueError: The key is empty or no bytes, or `values` or `facts` is not a function.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        key: bytes | None = None,
        fsync: bool = False,
        values: Redactor | None = None,
        facts: Callable[[CallDetails], Mapping[str, Any]] | None = None,
    ) -> None:
        if key is not None and not key:
            raise ValueError("the key of an audit log is empty; leave it out, or give one")
        if not isinstance(key, bytes | None):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ValueError("the key of an audit log is not bytes; pass key.encode()")  # noqa: TRY004
        require_functions("AuditLog", values=values, facts=facts)
        self._key, self._fsync, self._values, self._facts = key, fsync, values, facts
        self.reads_values: bool = values is not None or facts is not None
        self._lock, self._process = Lock(), os.getpid()
        self.head: chain.Link
        self._file, self.head = chain.open_chain(Path(path), key)

    def started(self, _: CallStarted, /) -> Finish:
        """Handle the start of a call; see `Observer.started`.

        Args:
            call: The call before anything was done about it.
        """
        return self._write

    def _write(self, done: CallDetails) -> None:
        record = done.as_json(self._values)
        if self._facts is not None:
            record["facts"] = _facts_of(self._facts, done)
        if os.getpid() != self._process:
            raise OSError("an audit log is written by the process that opened it; open another")
        with self._lock:
            line, head = chain.append_record(record, self.head, self._key)
            if (written := self._file.write(line)) != len(line):
                self._file.truncate(self._file.seek(0, os.SEEK_END) - (written or 0))
                raise OSError("no room for a whole line in the audit log")
            self.head = head
            if self._fsync:
                os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file; calls that end later are not written."""
        self._file.close()


def _facts_of(facts: Callable[[CallDetails], Mapping[str, Any]], done: CallDetails) -> Any:
    """Return the program's facts of a call; a record without facts is better than no record."""
    try:
        return jsondata.to_json_data(facts(done))
    except BaseException as error:  # noqa: BLE001  the program's own function
        raise_interrupt(error)
        return UNKNOWN_FACTS
