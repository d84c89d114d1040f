"""Lines of a file, plain or gzip, one at a time and never longer than allowed."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from io import BufferedReader
from typing import BinaryIO, NamedTuple, cast

__all__ = ["MAX_LINE_BYTES", "Line", "decompressed", "read_lines"]

MAX_LINE_BYTES = 4 << 20
SKIPPED_AT_ONCE = 1 << 16
GZIP = b"\x1f\x8b"  # RFC 1952, 2.3.1
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """One line with its number, from 1; `text` is None where the line is too long to be read."""

    number: int
    text: bytes | None


@contextmanager
def decompressed(stream: BufferedReader) -> Generator[BinaryIO]:
    """Give the text of a stream that may be compressed with gzip, whatever its name.

    Raises:
        OSError, EOFError, zlib.error: while reading, where the compressed data is damaged.
    """
    if stream.peek(len(GZIP))[: len(GZIP)] != GZIP:
        yield stream
        return
    import gzip

    with gzip.open(stream) as plain:
        yield cast("BinaryIO", plain)


def read_lines(stream: BinaryIO, limit: int = MAX_LINE_BYTES) -> Iterator[Line]:
    """Give the lines that hold something, without their ends; of a long one only its number."""
    number = 0
    while text := stream.readline(limit + 1):
        number += 1
        if len(text) > limit and not text.endswith(b"\n"):
            _skip(stream)
            yield Line(number, None)
            continue
        if number == 1:
            text = text.removeprefix(BYTE_ORDER_MARK)
        if text := text.strip():
            yield Line(number, text)


def _skip(stream: BinaryIO) -> None:
    """Read to the end of a line without holding it."""
    while (part := stream.readline(SKIPPED_AT_ONCE)) and not part.endswith(b"\n"):
        pass
