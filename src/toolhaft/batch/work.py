"""Gate one piece: return its rows as bytes, and their counts. Every engine runs this."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from toolhaft.batch.column_calls import wanted_columns
from toolhaft.batch.column_gate import ColumnGate
from toolhaft.batch.columns import PARQUET, pack_batches, rows_schema
from toolhaft.batch.fast_gate import FastGate, Item
from toolhaft.batch.job import Job
from toolhaft.batch.packing import packing_for
from toolhaft.batch.parquet import ParquetReader
from toolhaft.batch.pieces import Piece
from toolhaft.batch.record import Record
from toolhaft.batch.summary import Summary

__all__ = ["Done", "Worker", "part_path", "take_apart", "with_rows"]


class Done(NamedTuple):
    """A finished piece: its counts, and its rows unless a file has them."""

    piece: Piece
    summary: Summary
    rows: bytes | None = None


class Worker:
    """Gates pieces, and packs their rows as the name of the output says."""

    def __init__(self, job: Job, name: str = "") -> None:
        self.job = job
        self.packing = packing_for(name)
        self.gate = FastGate(job, self.packing.writer)
        self._columns = None
        if name.endswith(PARQUET):
            self._columns = ColumnGate(job, rows_schema(), escapes=True)
        self._reader = ParquetReader(wanted_columns(job.fields))

    def rows(self, piece: Piece) -> Done:
        """Return the rows of a piece."""
        summary = Summary(piece.path)
        if piece.is_rows and self._columns is not None:
            batches = self._reader.read(piece.path, piece.start, piece.size)
            packed = pack_batches(self._columns.rows(batches, piece.line, summary))
        else:
            packed = self.packing.pack(self.gate.rows(self._items(piece), summary))
        return Done(piece, summary, packed)

    def _items(self, piece: Piece) -> Iterable[tuple[int, Item]]:
        if piece.is_rows:
            return piece.read_calls(self._reader, self.job.fields)
        return piece.read_lines(self.job.max_line_bytes)

    def write_part(self, piece: Piece, folder: Path) -> Done:
        """Write the rows of a piece to a file of its own in a folder."""
        done = self.rows(piece)
        if done.rows:
            temporary = folder / f"{os.getpid()}.tmp"
            temporary.write_bytes(done.rows)
            temporary.rename(part_path(folder, piece))
        return done._replace(piece=piece._replace(data=None), rows=None if done.rows else b"")


def part_path(folder: Path, piece: Piece) -> Path:
    """Return the file of the rows of a piece."""
    return folder / f"{piece.input}-{piece.start}.part"


def with_rows(done: Done, folder: Path) -> Done:
    """Read the rows of a piece from its file, and remove it."""
    if done.rows is not None:
        return done
    path = part_path(folder, done.piece)
    rows = path.read_bytes()
    path.unlink()
    return done._replace(rows=rows)


def take_apart(piece: Piece, try_alone: Callable[[Piece], Done | None], name: str) -> Done:
    """Split a piece that kills workers in halves, down to the line that kills.

    `try_alone` returns None if a worker died.
    """
    rows, summary = bytearray(), Summary()
    halves = piece.halves()
    for half in halves:
        done = try_alone(half) or take_apart(half, try_alone, name)
        rows += done.rows or b""
        summary.merge(done.summary)
    return Done(piece, summary, bytes(rows)) if halves else _to_dead(piece, name)


def _to_dead(piece: Piece, name: str) -> Done:
    """Return the invalid row of a line that kills each worker."""
    summary = Summary(piece.path)
    record = Record.invalid(piece.line, "the process that read it died")
    summary.add(record)
    packing = packing_for(name)
    return Done(piece, summary, packing.pack([packing.writer.row(record)]))
