"""Engines of a batch: this process, worker processes, or call by call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple, Protocol

from toolhaft.batch.execution import CallLog, call_rows
from toolhaft.batch.job import Job
from toolhaft.batch.on_ray import RayPool
from toolhaft.batch.parquet import ParquetReader
from toolhaft.batch.pieces import Piece
from toolhaft.batch.pool import Pool
from toolhaft.batch.record import Record
from toolhaft.batch.summary import Summary
from toolhaft.batch.work import Worker, part_path
from toolhaft.cli.batch_options import Options

__all__ = ["Alone", "ByCall", "Engine", "Pooled", "Step"]


def _nothing() -> None:
    pass


class Step(NamedTuple):
    """Rows that are done: of a piece that ends here, or of one call in it."""

    summary: Summary
    rows: bytes | Path = b""
    row: str = ""
    record: Record | None = None
    end: Piece | None = None
    when_committed: Callable[[], None] = _nothing


class Engine(Protocol):
    """Gates the pieces of a batch; `digest` is that of the tools."""

    digest: str

    def run(self, pieces: Iterator[Piece], /) -> Iterator[Step]: ...


class Pooled:
    """Gates pieces in workers, which leave their rows in files."""

    def __init__(self, pool: Pool | RayPool) -> None:
        self.pool = pool
        self.digest = pool.digest

    def run(self, pieces: Iterator[Piece], /) -> Iterator[Step]:
        folder = self.pool.setup.folder
        for done in self.pool.run(pieces):
            rows = part_path(folder, done.piece) if done.rows is None else done.rows
            yield Step(done.summary, rows, end=done.piece)


class Alone:
    """Gates pieces in this process."""

    def __init__(self, job: Job, digest: str, name: str) -> None:
        self.worker = Worker(job, name)
        self.digest = digest

    def run(self, pieces: Iterator[Piece], /) -> Iterator[Step]:
        for piece in pieces:
            done = self.worker.rows(piece)
            yield Step(done.summary, done.rows or b"", end=piece)


class ByCall:
    """Gates calls one by one in this process, and runs them if the job does."""

    def __init__(self, job: Job, digest: str, options: Options, log_path: Path | None) -> None:
        self.job = job
        self.digest = digest
        self.concurrency = options.concurrency if job.runs else 1
        self.log_path = log_path if job.runs else None

    def run(self, pieces: Iterator[Piece], /) -> Iterator[Step]:
        reader = ParquetReader()
        with closing(CallLog(self.log_path)) as log:
            for piece in pieces:
                for outcome in call_rows(self.job, piece, log, self.concurrency, reader):
                    yield Step(outcome.summary, row=outcome.row, record=outcome.record)
                yield Step(Summary(), end=piece, when_committed=log.clear)
