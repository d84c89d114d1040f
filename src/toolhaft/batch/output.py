"""Where the rows of a batch go: a file with a journal, a stream, or nowhere."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO, Protocol

from toolhaft.batch.journal import Journal
from toolhaft.batch.packing import packing_for
from toolhaft.batch.pieces import Position
from toolhaft.batch.summary import Summary

__all__ = ["JournalOutput", "Output", "StreamOutput"]

# Rows that are packed together.
ROWS_HELD = 256


class Output(Protocol):
    """Takes the rows of a batch, piece by piece; `summary` counts all of them."""

    @property
    def position(self) -> Position: ...
    @property
    def summary(self) -> Summary: ...
    def append(self, rows: bytes | Path, summary: Summary) -> None:
        """Write encoded rows, which a worker returned or left in a file."""

    def append_row(self, row: str, summary: Summary) -> None:
        """Write the row of one call."""

    def commit(self, position: Position) -> None:
        """Note that all rows before a position are written."""

    def finish(self) -> None:
        """Move all rows to the output."""

    def publish(self) -> None:
        """Move the rows so far to the output; the run can still be resumed."""

    def park(self) -> None:
        """Close everything to be resumed."""


class JournalOutput:
    """A file that appears at the end, or when the run is interrupted."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.summary: Summary = journal.summary
        self._counts = Summary()
        self._buffered: list[str] = []
        self._pack = packing_for(journal.output.name).pack_lines

    @property
    def position(self) -> Position:
        return self.journal.position

    def append(self, rows: bytes | Path, summary: Summary) -> None:
        self._count(summary)
        if isinstance(rows, Path):
            self.journal.append_part(rows)
        else:
            self.journal.append(rows)

    def append_row(self, row: str, summary: Summary) -> None:
        self._count(summary)
        self._buffered.append(row)
        if len(self._buffered) >= ROWS_HELD:
            self._write_buffered()

    def _count(self, summary: Summary) -> None:
        self.summary.merge(summary)
        self._counts.merge(summary)

    def _write_buffered(self) -> None:
        if self._buffered:
            self.journal.append(self._pack(self._buffered))
            self._buffered.clear()

    def commit(self, position: Position) -> None:
        self._write_buffered()
        self.journal.commit(position, self._counts.counts())
        self._counts = Summary()

    def finish(self) -> None:
        self.journal.finish()

    def publish(self) -> None:
        self._write_buffered()
        self.journal.publish()

    def park(self) -> None:
        self.journal.park()


class StreamOutput:
    """A stream, which is written as rows come, or nothing."""

    def __init__(self, stream: BinaryIO | None) -> None:
        self.stream = stream
        self.position = Position()
        self.summary = Summary()

    def append(self, rows: bytes | Path, summary: Summary) -> None:
        self.summary.merge(summary)
        if isinstance(rows, Path):
            data = rows.read_bytes()
            rows.unlink()
        else:
            data = rows
        if self.stream is not None and data:
            self.stream.write(data)
            self.stream.flush()

    def append_row(self, row: str, summary: Summary) -> None:
        self.append(row.encode(), summary)

    def commit(self, position: Position) -> None:
        self.position = position

    def finish(self) -> None:
        return

    publish = park = finish
