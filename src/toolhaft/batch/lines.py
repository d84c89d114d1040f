"""Cut text into pieces of whole lines, and these into lines, none longer than a limit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO, NamedTuple

from toolhaft.batch.calls import TooLong

__all__ = [
    "MAX_LINE_BYTES",
    "PIECE_BYTES",
    "Line",
    "Text",
    "cut_text",
    "read_of",
    "split_lines",
]

MAX_LINE_BYTES = 4 << 20
# Large enough that fetching a piece costs little, small enough to be held in memory.
PIECE_BYTES = 4 << 20
READ_AT_ONCE = 1 << 16
# A longer line ends the reading of a file: it is a bomb, or a device without an end.
MOST_SKIPPED = 1 << 30
ENDLESS = "it does not end within 1 GiB, and nothing behind it was read"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """One line with its number, from 1; `text` is the reason if it is too long to be read."""

    number: int
    text: bytes | TooLong


class Text(NamedTuple):
    """Whole lines of a file: where they start in its text, the first one's number, and the bytes.

    `data` is None for one line that is too long; `size` counts its bytes even then.
    """

    start: int
    line: int
    size: int
    data: bytes | None


def cut_text(
    read: Callable[[int], bytes],
    limit: int,
    *,
    at_once: int = PIECE_BYTES,
    start: int = 0,
    line: int = 1,
) -> Iterator[Text]:
    """Cut a text into pieces of whole lines; `read` returns at most so many bytes.

    The cuts depend on the text alone, not on where reading begins.
    """
    at_once = max(at_once, limit + 1)
    data = b""
    while part := read(at_once - (start + len(data)) % at_once):
        data += part
        end = data.rfind(b"\n") + 1
        if end:
            yield Text(start, line, end, data[:end])
            start, line, data = start + end, line + data.count(b"\n", 0, end), data[end:]
        elif len(data) > limit:
            size, data, is_endless = _skip_line(read, len(data))
            yield Text(start, line, size, None)
            if is_endless:
                return
            start, line = start + size, line + 1
    if data:
        yield Text(start, line, len(data), data)


def _skip_line(read: Callable[[int], bytes], size: int) -> tuple[int, bytes, bool]:
    """Read to the end of a line without keeping it; return its size and the data after it."""
    while part := read(READ_AT_ONCE):
        end = part.find(b"\n") + 1
        if end:
            return size + end, part[end:], False
        size += len(part)
        if size > MOST_SKIPPED:
            return size, b"", True
    return size, b"", False


def split_lines(text: Text, limit: int) -> Iterator[Line]:
    """Yield the lines of a piece that are not blank, without their ends."""
    too_long = f"line longer than {limit} bytes"
    if text.data is None:
        reason = f"{too_long}; {ENDLESS}" if text.size > MOST_SKIPPED else too_long
        yield Line(text.line, TooLong(reason))
        return
    for number, raw in enumerate(text.data.split(b"\n"), text.line):
        if len(raw) > limit:
            yield Line(number, TooLong(too_long))
        elif line := (raw.removeprefix(BYTE_ORDER_MARK) if number == 1 else raw).strip():
            yield Line(number, line)


def read_of(stream: BinaryIO) -> Callable[[int], bytes]:
    """Return the function that reads available data, without waiting for a pipe to fill."""
    read: Callable[[int], bytes] = getattr(stream, "read1", stream.read)
    return read
