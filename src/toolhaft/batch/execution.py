"""Run the valid calls of pieces, several at a time, with a log of starts and ends.

A call that began and has no outcome in the log was cut off: it may have taken effect, and only a
tool that declares it safe is called again.
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, TypeVar

from toolhaft.batch.calls import Call, NotACall, Place, read_calls
from toolhaft.batch.job import Job, run_accepted
from toolhaft.batch.journal import write_all
from toolhaft.batch.parquet import ParquetReader
from toolhaft.batch.pieces import Piece
from toolhaft.batch.record import Record
from toolhaft.batch.summary import Summary
from toolhaft.tools.tool import AnyTool

__all__ = ["CallLog", "CallRow", "call_rows"]

CUT_OFF = (
    "The call was cut off while it ran and may have taken effect. "
    "Find out whether it did before you try again."
)
T = TypeVar("T")


class CallRow(NamedTuple):
    """The result of one call: its row, its counts, and its record unless an earlier run made it."""

    row: str
    summary: Summary
    record: Record | None = None

    @classmethod
    def of(cls, record: Record, file: str) -> CallRow:
        summary = Summary(file)
        summary.add(record)
        return cls(record.text_row(), summary, record)


class CallLog:
    """A file of the calls that began and ended; each entry is written before work goes on."""

    def __init__(self, path: Path | None = None) -> None:
        self._lock = Lock()
        self._outcomes: dict[str, CallRow] = {}
        self._begun: set[str] = set()
        if path is not None and path.exists():
            self._read(path)
        self._file = None if path is None else path.open("ab", buffering=0)

    def _read(self, path: Path) -> None:
        text = path.read_bytes()
        for line in text[: text.rfind(b"\n") + 1].splitlines():
            entry = json.loads(line)
            self._begun.add(entry["call"])
            if "row" in entry:
                counts = Summary.of_counts(entry["counts"])
                self._outcomes[entry["call"]] = CallRow(entry["row"], counts)
        with path.open("ab") as file:
            file.truncate(text.rfind(b"\n") + 1)

    def outcome_of(self, call: str) -> CallRow | None:
        """Return the outcome of a call in an earlier run, or None."""
        return self._outcomes.get(call)

    def was_cut_off(self, call: str) -> bool:
        """Whether a call began in an earlier run, and has no outcome."""
        return call in self._begun and call not in self._outcomes

    def begin(self, call: str) -> None:
        """Note that a call begins."""
        self._write({"call": call})

    def end(self, call: str, outcome: CallRow) -> None:
        """Note the outcome of a call."""
        self._write({"call": call, "row": outcome.row, "counts": outcome.summary.counts()})

    def clear(self) -> None:
        """Forget the calls of a piece that is done."""
        self._outcomes.clear()
        self._begun.clear()
        if self._file is not None:
            self._file.truncate(0)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def _write(self, entry: dict[str, Any]) -> None:
        if self._file is not None:
            with self._lock:
                size = os.fstat(self._file.fileno()).st_size
                try:
                    write_all(self._file.fileno(), json.dumps(entry).encode() + b"\n")
                except OSError:
                    self._file.truncate(size)
                    raise


def call_rows(
    job: Job,
    piece: Piece,
    log: CallLog | None = None,
    concurrency: int = 1,
    reader: ParquetReader | None = None,
) -> Iterator[CallRow]:
    """Gate the calls of a piece, run valid ones if the job runs any, and yield rows in order."""
    tasks = (
        (number, call, place)
        for number, row in job.read_piece(piece, reader)
        for place, call in read_calls(row, job.fields)
    )
    return _in_order(partial(_do_call, job, piece, log or CallLog()), tasks, concurrency)


def _do_call(
    job: Job, piece: Piece, log: CallLog, number: int, call: Call | NotACall, place: Place | None
) -> CallRow:
    """Gate a call, and run it if it passes and the log does not have its outcome."""
    key = f"{piece.input}:{number}:{place}"
    earlier = log.outcome_of(key)
    if earlier is not None:
        return earlier
    record, tool = job.gate(number, call, place)
    if tool is None or not record.admitted or not job.runs:
        return CallRow.of(record, piece.path)
    if log.was_cut_off(key) and not _may_repeat(tool):
        record = record._replace(kind="runtime_error", text=CUT_OFF, effect="unknown")
    else:
        log.begin(key)
        record = run_accepted(record, tool, job.context)
    outcome = CallRow.of(record, piece.path)
    log.end(key, outcome)
    return outcome


def _may_repeat(tool: AnyTool) -> bool:
    return (tool.annotations or {}).get("idempotentHint") is True


def _in_order(
    finish: Callable[..., T], tasks: Iterable[tuple[Any, ...]], concurrency: int
) -> Iterator[T]:
    """Do tasks in threads, in order; with a concurrency of 1 lazily in this thread."""
    if concurrency == 1:
        yield from (finish(*task) for task in tasks)
        return
    with ThreadPoolExecutor(concurrency) as threads:
        waiting = deque[Future[T]]()
        for task in tasks:
            if len(waiting) >= concurrency:
                yield waiting.popleft().result()
            waiting.append(threads.submit(copy_context().run, finish, *task))
        while waiting:
            yield waiting.popleft().result()
