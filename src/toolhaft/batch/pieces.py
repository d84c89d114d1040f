"""Cut inputs into pieces of work: ranges of a file, text of a stream, or row groups.

A piece is small to send: a worker reads its range itself.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from toolhaft.batch.calls import Fields
from toolhaft.batch.compression import Unreadable, decompressed, is_compressed
from toolhaft.batch.lines import (
    MAX_LINE_BYTES,
    PIECE_BYTES,
    Line,
    Text,
    cut_text,
    read_of,
    split_lines,
)

if TYPE_CHECKING:
    from toolhaft.batch.column_calls import Row
    from toolhaft.batch.parquet import ParquetReader
    from toolhaft.batch.typed_rows import PlainCall

__all__ = ["START", "STDIN", "Piece", "Position", "cut", "require_columns"]

STDIN = "-"
PARQUET_MAGIC = b"PAR1"


class Position(NamedTuple):
    """A place between two pieces: the input, what comes next of it, and the number of its line.

    `start` counts bytes of the text, or rows of a Parquet file.
    """

    input: int = 0
    start: int = 0
    line: int = 1


START = Position()


class Piece(NamedTuple):
    """A piece of one input: `size` bytes of its text from `start` on, or as many of its rows.

    `data` is the text itself where the input is no plain file. With `too_long` the piece is one
    line that nobody reads. `consumed` says how many bytes of the file have been read behind it.
    """

    path: str
    input: int
    start: int
    line: int
    size: int
    data: bytes | None = None
    too_long: bool = False
    is_rows: bool = False
    lines: int = 0
    consumed: int = 0

    @property
    def end(self) -> Position:
        return Position(self.input, self.start + self.size, self.line + self.lines)

    def read_lines(self, limit: int) -> Iterator[Line]:
        """Return the lines of a piece of text."""
        data = None if self.too_long else self.read_data()
        return split_lines(Text(self.start, self.line, self.size, data), limit)

    def read_data(self) -> bytes:
        """Return the text of the piece."""
        if self.data is not None:
            return self.data
        with Path(self.path).open("rb", buffering=0) as file:
            file.seek(self.start)
            return file.read(self.size)

    def read_rows(self, reader: ParquetReader) -> Iterator[tuple[int, Row]]:
        """Yield the rows of a range of a Parquet file, with their numbers."""
        from toolhaft.batch.column_calls import rows_of

        batches = reader.read(self.path, self.start, self.size)
        return enumerate(chain.from_iterable(map(rows_of, batches)), self.line)

    def read_calls(
        self, reader: ParquetReader, fields: Fields
    ) -> Iterator[tuple[int, PlainCall | Row]]:
        """Yield the plain calls of these rows, and the rows without one."""
        from toolhaft.batch.column_calls import calls_of

        batches = reader.read(self.path, self.start, self.size)
        calls = (calls_of(batch, fields) for batch in batches)
        return enumerate(chain.from_iterable(calls), self.line)

    def halves(self) -> list[Piece]:
        """Return the two halves of a piece of several lines, or no pieces."""
        if self.is_rows:
            return self._half_ranges()
        data = b"" if self.too_long else self.read_data()
        cut_at = data.find(b"\n", len(data) // 2) + 1
        if cut_at in {0, len(data)}:
            cut_at = data.find(b"\n") + 1
        if cut_at in {0, len(data)}:
            return []
        lines = data.count(b"\n", 0, cut_at)
        first = self._replace(size=cut_at, data=data[:cut_at], lines=lines)
        second = self._replace(
            start=self.start + cut_at,
            line=self.line + lines,
            size=len(data) - cut_at,
            data=data[cut_at:],
            lines=self.lines - lines,
        )
        return [first, second]

    def _half_ranges(self) -> list[Piece]:
        half = self.size // 2
        if half == 0:
            return []
        first = self._replace(size=half, lines=half)
        start, line, rest = self.start + half, self.line + half, self.size - half
        return [first, self._replace(start=start, line=line, size=rest, lines=rest)]


def _open_input(path: str) -> BufferedReader:
    """Open a file to read, or standard input for `-`."""
    return open(sys.stdin.fileno() if path == STDIN else path, "rb", closefd=path != STDIN)


def cut(
    path: str,
    number: int = 0,
    *,
    after: Position = START,
    limit: int = MAX_LINE_BYTES,
    at_once: int = PIECE_BYTES,
) -> Iterator[Piece]:
    """Cut one input into pieces, those behind a position.

    Raises:
        OSError, EOFError, zlib.error, NeedsLibrary, Unreadable: It cannot be read, or is damaged.
    """
    with _open_input(path) as file:
        if _is_parquet(file):
            yield from _cut_rows(path, number, after)
        elif is_compressed(file) or not file.seekable():
            with decompressed(file) as stream:
                _skip(stream, after.start)
                yield from _cut_stream(path, number, after, stream, file, limit, at_once)
        else:
            file.seek(after.start)
            for piece in _cut_stream(path, number, after, file, file, limit, at_once):
                yield piece if piece.too_long else piece._replace(data=None)


def _is_parquet(file: BufferedReader) -> bool:
    return file.peek(len(PARQUET_MAGIC)).startswith(PARQUET_MAGIC)


def require_columns(path: str, fields: Fields) -> None:
    """Check that a Parquet file has columns of calls; without, each row would be invalid.

    Raises:
        Unreadable: It does not, or is damaged.
    """
    if not Path(path).is_file():
        return
    with Path(path).open("rb") as file:
        if not _is_parquet(file):
            return
    from toolhaft.batch.column_calls import missing_columns
    from toolhaft.batch.parquet import column_names

    if missing := missing_columns(column_names(path), fields):
        raise Unreadable(f"{path}: {missing}")


def _skip(stream: BinaryIO, size: int) -> None:
    """Read past the part that is done already."""
    while size and (part := stream.read(min(size, 1 << 20))):
        size -= len(part)


def _cut_stream(
    path: str,
    number: int,
    after: Position,
    stream: BinaryIO,
    file: BufferedReader,
    limit: int,
    at_once: int,
) -> Iterator[Piece]:
    # A pipe's available data are processed without waiting for more.
    read = stream.read if file.seekable() else read_of(stream)
    texts = cut_text(read, limit, at_once=at_once, start=after.start, line=after.line)
    for text in texts:
        lines = 1 if text.data is None else text.data.count(b"\n")
        consumed = file.tell() if file.seekable() else text.start + text.size
        yield Piece(
            path,
            number,
            text.start,
            text.line,
            text.size,
            data=text.data,
            too_long=text.data is None,
            lines=lines,
            consumed=consumed,
        )


def _cut_rows(path: str, number: int, after: Position) -> Iterator[Piece]:
    from toolhaft.batch.parquet import count_rows

    start, line, bytes_ = 0, after.line, Path(path).stat().st_size
    total, sizes = count_rows(path)
    for rows in sizes:
        if start >= after.start:
            consumed = bytes_ * (start + rows) // total
            yield Piece(
                path, number, start, line, rows, is_rows=True, lines=rows, consumed=consumed
            )
            line += rows
        start += rows
