"""A chain of records, one JSON object a line, in which each holds the hash of the one before.

A line is `{"number":1,"previous":"<hash>",...,"hash":"<hash>"}`. Its hash is the SHA-256 of the
line's bytes without the member `hash`, or their HMAC-SHA-256 under a key; `previous` of the first
is 64 zeros. Without a key, anyone who can write the file can also write a new chain: keep a key
elsewhere, or note the last hash elsewhere from time to time.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import BinaryIO, NamedTuple

from toolhaft.errors import ToolhaftError
from toolhaft.jsonio import jsontext
from toolhaft.observers.file_lock import lock_file

__all__ = ["START", "ChainError", "Link", "append_record", "open_chain", "verify_chain"]

BLOCK = 65_536
HASH = rb'"([0-9a-f]{64})"'
LINE = re.compile(
    rb'(\{"number":([0-9]{1,18}),"previous":%b,.*),"hash":%b\}\n' % (HASH, HASH), re.DOTALL
)


class Link(NamedTuple):
    """A record's place in its chain: how many there are up to it, and its hash."""

    number: int
    hash: str


START = Link(0, "0" * 64)


class ChainError(ToolhaftError):
    """A line differs from the one that was written.

    `line` is None for the last line of a file whose lines were not counted.
    """

    def __init__(self, line: int | None, reason: str) -> None:
        self.line = line
        self.reason = reason
        super().__init__(f"{'last line' if line is None else f'line {line}'}: {reason}")


def append_record(
    record: Mapping[str, object], previous: Link, key: bytes | None
) -> tuple[bytes, Link]:
    """Write a record as the next line of a chain, and return the line with its place."""
    number = previous.number + 1
    body = jsontext.write({"number": number, "previous": previous.hash, **record}).encode()
    link = Link(number, _hash(body, key))
    return body[:-1] + f',"hash":"{link.hash}"}}\n'.encode(), link


def verify_chain(lines: Iterable[bytes], key: bytes | None = None, head: str | None = None) -> Link:
    """Read a whole chain, and give the place of its last record.

    `head` is a hash that was noted earlier, and must be that of one of the records: without it,
    records that were cut off at the end leave no trace.

    Raises:
        ChainError: names the first line that is broken.
    """
    link, awaited = START, head
    for count, line in enumerate(lines, 1):
        previous, link_read = _read_line(line, key, count)
        if link_read.number != count:
            reason = f"numbered {link_read.number}: a line is missing, or out of order"
            raise ChainError(count, reason)
        if previous != link.hash:
            raise ChainError(count, "does not follow the line before")
        link = link_read
        awaited = None if link_read.hash == awaited else awaited
    if awaited is not None:
        raise ChainError(link.number + 1, "missing: the chain ends before the hash that was noted")
    return link


def open_chain(path: Path, key: bytes | None) -> tuple[BinaryIO, Link]:
    """Open a file as its only writer, with its last line checked, and give that line's place.

    Raises:
        ChainError: The last line is cut off, changed, or of another key.
        OSError: The file cannot be opened, or has a writer already.
    """
    file = path.open("ab+", buffering=0)
    try:
        _lock_file(file, path)
        return file, _read_last_link(file, key)
    except BaseException:
        file.close()
        raise


def _lock_file(file: BinaryIO, path: Path) -> None:
    try:
        lock_file(file)
    except BlockingIOError as error:
        reason = "has a writer already; name another file"
        raise BlockingIOError(error.errno, reason, str(path)) from None


def _read_last_link(file: BinaryIO, key: bytes | None) -> Link:
    start = size = file.seek(0, os.SEEK_END)
    tail = b""
    while start and b"\n" not in tail[:-1]:
        start = max(0, start - BLOCK)
        file.seek(start)
        tail = file.read(size - start)
    return _read_line(tail[tail.rfind(b"\n", 0, -1) + 1 :], key, None)[1] if size else START


def _read_line(line: bytes, key: bytes | None, count: int | None) -> tuple[str, Link]:
    """Read a line of a chain: the hash of the line before, and its own place."""
    if not line.endswith(b"\n"):
        raise ChainError(count, "cut off before its end")
    parts = LINE.fullmatch(line)
    if parts is None:
        raise ChainError(count, "not a record of a chain")
    body, number, previous, line_hash = parts.groups()
    if not hmac.compare_digest(_hash(body + b"}", key), line_hash.decode()):
        raise ChainError(count, "changed since it was written, or written with another key")
    return previous.decode(), Link(int(number), line_hash.decode())


def _hash(body: bytes, key: bytes | None) -> str:
    if key is None:
        return hashlib.sha256(body).hexdigest()
    return hmac.digest(key, body, "sha256").hex()
