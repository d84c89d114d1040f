"""Ranges of rows of Parquet files, by pyarrow."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from toolhaft.batch.columns import arrow
from toolhaft.batch.compression import Unreadable
from toolhaft.batch.lines import PIECE_BYTES

__all__ = ["ParquetReader", "column_names", "count_rows", "read_batches"]

# Few, because a file may repeat one long text in every row.
ROWS_AT_ONCE = 1024
ROWS_A_PIECE = 1 << 14
# Read from a column at once, rather than all that a group has of it.
READ_AT_ONCE = 1 << 20
OTHER_COUNT = "cannot be read: it does not have as many rows as its footer says"


@contextmanager
def _opened(path: str) -> Generator[Any]:
    """Open a file to read.

    Raises:
        Unreadable: It is damaged, or cannot be read.
    """
    pa = arrow()
    options = {"pre_buffer": False, "buffer_size": READ_AT_ONCE}
    try:
        with arrow("pyarrow.parquet").ParquetFile(path, **options) as file:
            yield file
    except (OSError, MemoryError, OverflowError, UnicodeError, pa.ArrowException) as error:
        raise Unreadable(f"{path}: cannot be read: {error}") from None


def column_names(path: str) -> list[str]:
    """Return the names of the columns of a file."""
    with _opened(path) as file:
        names: list[str] = file.schema_arrow.names
    return names


def count_rows(path: str) -> tuple[int, Iterator[int]]:
    """Return the number of rows of a file, and how many each piece of it has, in order."""
    with _opened(path) as file:
        metadata = file.metadata
    groups = [metadata.row_group(group) for group in range(metadata.num_row_groups)]
    sizes = [(group.num_rows, group.total_byte_size) for group in groups]
    if sum(rows for rows, _ in sizes) != metadata.num_rows:
        raise Unreadable(f"{path}: {OTHER_COUNT}")
    return metadata.num_rows, _cut(sizes)


def _cut(groups: Iterable[tuple[int, int]]) -> Iterator[int]:
    """Yield the rows of pieces of about the size of a piece of text, from rows and size of groups.

    >>> list(_cut([(1, 9), (2, 9), (10, 3 * PIECE_BYTES)]))
    [6, 3, 4]
    """
    rows = size = 0
    for in_group, bytes_ in groups:
        parts = max(1, -(-in_group // ROWS_A_PIECE), min(in_group, -(-bytes_ // PIECE_BYTES)))
        for part in range(parts):
            rows += in_group * (part + 1) // parts - in_group * part // parts
            size += bytes_ // parts
            if size >= PIECE_BYTES or rows >= ROWS_A_PIECE:
                yield rows
                rows = size = 0
    if rows:
        yield rows


def read_batches(
    path: str, wanted: Collection[str] | None = None, start: int = 0
) -> Iterator[tuple[int, Any]]:
    """Yield a few rows at a time with the number of the first, from the group of a row on.

    `wanted` are the names of columns to read, unless all are.
    """
    with _opened(path) as file:
        metadata, columns = file.metadata, _columns(file.schema_arrow.names, wanted)
        first = 0
        for group in range(metadata.num_row_groups):
            rows = metadata.row_group(group).num_rows
            if first + rows > start:
                at = first
                for batch in file.iter_batches(ROWS_AT_ONCE, [group], columns, use_threads=False):
                    yield at, batch
                    at += batch.num_rows
                if at != first + rows:
                    raise Unreadable(f"{path}: {OTHER_COUNT}")
            first += rows


def _columns(names: list[str], wanted: Collection[str] | None) -> list[str] | None:
    """Return the wanted names; None, for all, where pyarrow would take them for paths."""
    if wanted is None or any("." in name for name in names):
        return None
    return [name for name in names if name in wanted]


class ParquetReader:
    """Reads ranges of rows; ranges that follow each other are read in one pass."""

    def __init__(self, wanted: Collection[str] | None = None) -> None:
        self._wanted = wanted
        self._path = ""
        self._batches: Iterator[tuple[int, Any]] = iter(())
        self._at = 0
        self._batch: Any = None

    def read(self, path: str, start: int, rows: int) -> Iterator[Any]:
        """Yield the record batches of a range; the first row of a file is 0.

        Raises:
            Unreadable: The file is damaged, cannot be read, or has fewer rows.
        """
        if path != self._path or self._batch is None or start < self._at:
            self._path, self._batches = path, read_batches(path, self._wanted, start)
            batch = self._next()
        else:
            batch = self._batch
        end = start + rows
        while start < end:
            while start >= self._at + batch.num_rows:
                batch = self._next()
            part = batch.slice(start - self._at, end - start)
            yield part
            start += part.num_rows

    def _next(self) -> Any:
        found = next(self._batches, None)
        if found is None:
            raise Unreadable(f"{self._path}: {OTHER_COUNT}")
        self._at, self._batch = found
        return self._batch
