"""Write rows piece by piece, with a journal of the pieces that are done, to resume a run.

The rows stand in a folder beside the file that they become. A piece is done when its line is in the
journal; rows behind it are cut off when the work is taken up again.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import zlib
from pathlib import Path
from typing import Any, NamedTuple

from toolhaft.batch.parquet import PARQUET, arrow, write_rows
from toolhaft.batch.pieces import Position
from toolhaft.batch.summary import Summary

__all__ = ["Changed", "Journal", "NothingToResume", "Taken", "folder_of", "log_of", "write_all"]

VERSION = 2
FINISHED = "is finished: there is no journal beside it, and nothing to go on with"
NO_JOURNAL = "has no journal beside it; leave out --resume"
MEANWHILE = "was made by another program meanwhile; move it away, and go on with --resume"
ROWS_GONE = (
    "the rows that the journal counts are not there; put the file that the run wrote back, "
    "or remove the journal's folder to do every call again"
)
COPIED_AT_ONCE = 1 << 22


class Taken(Exception):
    """The output exists already, or another run writes it; the message says which."""


class NothingToResume(Exception):
    """There is no journal, or no line in it can be read."""


class Changed(Exception):
    """Tools, options or inputs changed since the journal was begun; the message says which."""


class _Entry(NamedTuple):
    """One line of the journal: how far the input is read, the rows are written, and the counts."""

    position: Position
    written: int
    counts: dict[str, Any]


def folder_of(output: Path) -> Path:
    """Give the folder of the work on an output.

    >>> folder_of(Path("out.jsonl"))
    PosixPath('.out.jsonl.batch')
    """
    return output.with_name(f".{output.name}.batch")


def log_of(output: Path) -> Path:
    """Give the file in which calls that run are noted one by one."""
    return folder_of(output) / "calls"


class Journal:
    """The work on one output, new or resumed; `position` is where it continues.

    `plan` is plain JSON data: inputs, tools and options, which must be the same to go on.

    Raises:
        Taken, NothingToResume, Changed: before anything is written; Taken also where rows cannot be
            put in place because a file was made there.
        OSError: The folder cannot be written.
    """

    def __init__(self, output: Path, plan: dict[str, Any], *, resume: bool = False) -> None:
        self.output = output.resolve()
        self.folder = folder_of(self.output)
        self.position = Position()
        self.summary = Summary()
        if self.output.exists() and not resume:
            raise Taken("is there already; name another file, or remove it")
        if resume and not (self.folder / "journal").exists():
            raise NothingToResume(FINISHED if self.output.exists() else NO_JOURNAL)
        if not resume and (self.folder / "journal").exists():
            raise Taken("was begun by another run; go on with --resume, or remove its folder")
        if self.output.suffix == PARQUET:
            arrow()
        self.folder.mkdir(exist_ok=True)
        self._journal = (self.folder / "journal").open("ab+")
        self._lock()
        try:
            self._open(plan, resume=resume)
        except BaseException:
            self._journal.close()
            raise

    def _open(self, plan: dict[str, Any], *, resume: bool) -> None:
        written = 0
        if resume:
            header, entries = self._read()
            _require_same(header, plan, None if self._has_log() else _count_begun(entries))
            self._take_back(bool(entries))
            written = self._take_up(entries)
        self._rows = os.open(self.rows_path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o666)
        os.ftruncate(self._rows, written)
        os.lseek(self._rows, 0, os.SEEK_END)
        self._write({"version": VERSION, **plan})

    @property
    def rows_path(self) -> Path:
        """The file of rows while it grows."""
        return self.folder / "rows"

    @property
    def _placed(self) -> Path:
        """The file with the checksum of what was put in place."""
        return self.folder / "placed"

    def append(self, data: bytes) -> None:
        """Write rows, which count once `commit` is called."""
        write_all(self._rows, data)

    def append_part(self, path: Path) -> None:
        """Write the rows that a worker left in a file, and remove it."""
        with path.open("rb", buffering=0) as part:
            _copy(part.fileno(), self._rows, os.fstat(part.fileno()).st_size)
        path.unlink()

    def commit(self, position: Position, counts: dict[str, Any]) -> None:
        """Note that a piece is done, with its position and its counts."""
        self.position = position
        written = os.lseek(self._rows, 0, os.SEEK_CUR)
        self._write({"to": position, "written": written, "counts": counts})

    def finish(self) -> None:
        """Put the rows in their place, and remove everything else."""
        os.fsync(self._rows)
        self._place()
        shutil.rmtree(self.folder)
        self._close()

    def _place(self) -> None:
        """Move the rows to the output, as Parquet where it is named so, and note a checksum."""
        placed = self.rows_path
        if self.output.suffix == PARQUET:
            placed = self.folder / "written"
            write_rows(self.rows_path, placed)
        self._placed.write_text(_checksum(placed))
        try:
            self.output.touch(exist_ok=False)
        except FileExistsError:
            raise Taken(MEANWHILE) from None
        placed.rename(self.output)

    def _take_back(self, has_entries: bool) -> None:
        """Move the rows back from the output, where an interrupted run put them.

        Raises:
            Taken: What is there is not what it put.
            Changed: Nothing is there.
        """
        if not self.output.exists():
            if has_entries and not self.rows_path.exists():
                raise Changed(ROWS_GONE)
        elif not self._placed.exists() or self._placed.read_text() != _checksum(self.output):
            raise Taken("is not as this run left it; move it away, and put back what the run wrote")
        elif self.rows_path.exists():
            self.output.unlink()  # it is Parquet, written from the rows that are here
        else:
            self.output.rename(self.rows_path)
        self._placed.unlink(missing_ok=True)

    def park(self) -> None:
        """Close everything to be resumed; where no piece is done, remove the folder."""
        self._close()
        if self.position == Position() and not self._has_log():
            shutil.rmtree(self.folder)

    def publish(self) -> None:
        """Move the rows so far to the output; the run can still be resumed."""
        self._place()
        self._close()

    def _close(self) -> None:
        os.close(self._rows)
        self._journal.close()

    def _has_log(self) -> bool:
        """Whether calls began that belong to no piece that is done."""
        log = log_of(self.output)
        return log.exists() and log.stat().st_size > 0

    def _lock(self) -> None:
        try:
            fcntl.flock(self._journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._journal.close()
            raise Taken("is being written by another run") from None

    def _write(self, line: dict[str, Any]) -> None:
        self._journal.write(json.dumps(line).encode() + b"\n")
        self._journal.flush()

    def _read(self) -> tuple[dict[str, Any], list[_Entry]]:
        """Read the journal; a last line that was cut off is removed.

        Each run begins with a header of its own; the last one holds, as does the last entry of a
        piece that was done again.
        """
        self._journal.seek(0)
        text = self._journal.read()
        whole = text[: text.rfind(b"\n") + 1]
        self._journal.truncate(len(whole))
        lines = [json.loads(line) for line in whole.splitlines()]
        headers = [line for line in lines if "version" in line]
        if not headers:
            raise NothingToResume("has a journal without a beginning; remove its folder")
        entries = [
            _Entry(Position(*line["to"]), line["written"], line["counts"])
            for line in lines
            if "to" in line
        ]
        return headers[-1], list({entry.position: entry for entry in entries}.values())

    def _take_up(self, entries: list[_Entry]) -> int:
        """Continue after the last entry whose rows exist; give the size of these rows.

        Raises:
            Changed: Calls ran, and their rows are not there.
        """
        size = self.rows_path.stat().st_size if self.rows_path.exists() else 0
        done = [entry for entry in entries if entry.written <= size]
        if len(done) < len(entries) and log_of(self.output).exists():
            raise Changed(ROWS_GONE)
        for entry in done:
            self.summary.merge(Summary.of_counts(entry.counts))
        self.position = done[-1].position if done else Position()
        return done[-1].written if done else 0


def _count_begun(entries: list[_Entry]) -> int:
    """Count the inputs that may have given rows; later ones may change before a resume."""
    return (entries[-1].position.input if entries else 0) + 1


def _require_same(header: dict[str, Any], plan: dict[str, Any], inputs: int | None) -> None:
    """Require that the plan is the journal's; of the inputs, compare so many, or all.

    Raises:
        Changed: The plan is another one.
    """
    expected = json.loads(json.dumps({"version": VERSION, **plan}))
    former, expected = (
        {**planned, "calls": planned.get("calls", [])[:inputs]} for planned in (header, expected)
    )
    changed = [key for key in expected if former.get(key) != expected[key]]
    if changed:
        raise Changed(f"{' and '.join(changed)} changed since the journal was begun")


def _checksum(path: Path) -> str:
    """Give size and CRC-32 of a file, to recognise it: six times as fast as SHA-256."""
    checksum = 0
    with path.open("rb", buffering=0) as file:
        while part := file.read(COPIED_AT_ONCE):
            checksum = zlib.crc32(part, checksum)
        return f"{file.tell()} bytes, CRC-32 {checksum:08x}"


def _copy(source: int, target: int, size: int) -> None:
    """Append a file to another one at its current position, in the kernel if possible."""
    try:
        while size:
            size -= os.copy_file_range(source, target, size)
    except OSError as error:
        if error.errno not in {errno.EXDEV, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP}:
            raise
        while part := os.read(source, COPIED_AT_ONCE):
            write_all(target, part)


def write_all(target: int, data: bytes) -> None:
    """Write all of the data; a partial write, as to a full disk, is continued or raises."""
    view = memoryview(data)
    while view:
        view = view[os.write(target, view) :]
