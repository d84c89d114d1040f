"""Join the calls of a batch with the rows of its output, which are in the same order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from toolhaft.batch.calls import NotACall, read_calls
from toolhaft.batch.columns import PARQUET
from toolhaft.batch.compression import decompressed
from toolhaft.batch.inputs import pieces_of
from toolhaft.batch.job import Job
from toolhaft.batch.parquet import ParquetReader, read_batches
from toolhaft.batch.report.tally import Tally
from toolhaft.jsonio import jsontext

__all__ = ["NotItsOutput", "read_rows", "tally_run"]

# The limit of a row, which has the arguments of a call and the text for the model.
MAX_BYTES = 64 << 20


class NotItsOutput(Exception):
    """A file of rows is not the output for these calls; the message says why."""


def tally_run(paths: Sequence[str], output: Path, job: Job, name: str = "") -> Tally:
    """Count the results of a run, from its inputs and the file that it wrote.

    Raises:
        NotItsOutput: The rows belong to other calls.
    """
    tally, rows = Tally(name), read_rows(output)
    for number, call, count in _calls(paths, job):
        for row in islice(rows, count):
            if row["line"] != number:
                raise NotItsOutput("has rows of other lines than the calls have")
            tally.add(row, call)
    if next(rows, None) is not None:
        raise NotItsOutput("has more rows than there are calls")
    return tally


def _calls(paths: Sequence[str], job: Job) -> Iterator[tuple[int, Mapping[str, Any], int]]:
    """Yield the number of each row of the input, the row, and how many calls are in it."""
    reader = ParquetReader()
    for place, path in enumerate(paths):
        for piece in pieces_of(path, place, job.max_line_bytes):
            for number, row in job.read_piece(piece, reader):
                count = sum(1 for _ in read_calls(row, job.fields))
                yield number, {} if isinstance(row, NotACall) else row, count


def read_rows(output: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file that a batch wrote.

    Raises:
        NotItsOutput: It has other lines.
    """
    if output.suffix == PARQUET:
        yield from _read_parquet(output)
        return
    with output.open("rb") as file, decompressed(file) as lines:
        for line in lines:
            yield _read_row(line)


def _read_row(line: bytes) -> dict[str, Any]:
    try:
        row = jsontext.read(line, max_bytes=MAX_BYTES, max_depth=200)
    except ValueError:
        row = None
    if not isinstance(row, dict) or not {"line", "kind"} <= row.keys():
        raise NotItsOutput("has lines that are not rows of a batch")
    return row


def _read_parquet(output: Path) -> Iterator[dict[str, Any]]:
    for _, batch in read_batches(str(output)):
        for row in batch.to_pylist():
            text = row["arguments"]
            yield {**row, "arguments": None if text is None else jsontext.read(text)}
