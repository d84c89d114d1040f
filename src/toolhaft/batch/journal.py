"""Write rows piece by piece, with a journal of the pieces that are done, to resume a run.

The rows stand in a folder beside the file that they become. A piece is done when its line is in the
journal; rows behind it are cut off when the work is taken up again.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path
from typing import Any, NamedTuple

from toolhaft.batch.columns import PARQUET, arrow, write_parquet
from toolhaft.batch.pieces import Position
from toolhaft.batch.receipt import (
    VERSION,
    Receipt,
    changed_parts,
    checksum,
    receipt_path,
    write_receipt,
)
from toolhaft.batch.summary import Summary
from toolhaft.observers.file_lock import lock_file

__all__ = ["Changed", "Journal", "Taken", "finished_run", "folder_of", "log_of", "write_all"]

NEW_OUTPUT = "name another file, or remove it"
MEANWHILE = "was made by another program meanwhile; move it away, and go on with --resume"
ROWS_GONE = (
    "rows that the journal counts are missing; put the file that the run wrote back, "
    "or remove the journal's folder to do every call again"
)
COPIED_AT_ONCE = 1 << 22
# Windows would write each line feed as two bytes otherwise.
ROWS_FLAGS = os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0)


class Taken(Exception):
    """The output exists already, or another run writes it; the message says which."""


class Changed(Exception):
    """Tools, options or inputs changed since the journal was begun; the message says which."""


class _Entry(NamedTuple):
    """One line of the journal: how far the input is read, the rows are written, and the counts."""

    position: Position
    written: int
    counts: dict[str, Any]


def folder_of(output: Path) -> Path:
    """Return the folder of the work on an output.

    >>> folder_of(Path("out.jsonl"))
    PosixPath('.out.jsonl.batch')
    """
    return output.with_name(f".{output.name}.batch")


def log_of(output: Path) -> Path:
    """Return the file that logs running calls one by one."""
    return folder_of(output) / "calls"


class Journal:
    """The work on one output, new or resumed; `position` is where it continues.

    `plan` is plain JSON data: inputs, tools and options, which must be the same to go on. With
    `resume`, work that was begun is continued, and otherwise begins.

    Raises:
        Taken, Changed: before anything is written; Taken also where rows cannot be put in place
            because a file was made there.
        OSError: The folder cannot be written.
    """

    def __init__(self, output: Path, plan: dict[str, Any], *, resume: bool = False) -> None:
        self.output = output.resolve()
        self.folder = folder_of(self.output)
        self.plan = plan
        self.position = Position()
        self.summary = Summary()
        has_journal = (self.folder / "journal").exists()
        if self.output.exists() and not (resume and has_journal):
            raise Taken(f"already exists; {NEW_OUTPUT}")
        if has_journal and not resume:
            raise Taken("was begun by another run; go on with --resume, or remove its folder")
        if self.output.suffix == PARQUET:
            arrow()
        self.folder.mkdir(exist_ok=True)
        self._journal = (self.folder / "journal").open("ab+")
        self._lock()
        try:
            self._open()
        except BaseException:
            self._journal.close()
            raise

    def _open(self) -> None:
        written = 0
        header, entries = self._read()
        if header is None:  # nothing was written before the first line
            if self.output.exists():
                raise Taken(f"already exists; {NEW_OUTPUT}")
            receipt_path(self.output).unlink(missing_ok=True)
        else:
            self._require_same(header, entries)
            self._take_back(bool(entries))
            written = self._take_up(entries)
        self._rows = os.fdopen(os.open(self.rows_path, ROWS_FLAGS, 0o666), "wb", buffering=0)
        self._rows.truncate(written)
        self._rows.seek(0, os.SEEK_END)
        self._write({"version": VERSION, **self.plan})

    def _require_same(self, header: dict[str, Any], entries: list[_Entry]) -> None:
        """Require the plan of the journal; inputs that gave no rows yet may change.

        Raises:
            Changed: The plan is another one.
        """
        begun = (entries[-1].position.input if entries else 0) + 1
        changed = changed_parts(header, self.plan, None if self._has_log() else begun)
        if changed:
            raise Changed(f"{changed} changed since the journal was begun")

    @property
    def rows_path(self) -> Path:
        """The file of rows while it grows."""
        return self.folder / "rows"

    @property
    def _placed(self) -> Path:
        """The file with the checksum of the output that this run moved into place."""
        return self.folder / "placed"

    def append(self, data: bytes) -> None:
        """Write rows, which count once `commit` is called."""
        write_all(self._rows.fileno(), data)

    def append_part(self, path: Path) -> None:
        """Write the rows that a worker left in a file, and remove it."""
        with path.open("rb", buffering=0) as part:
            _copy(part.fileno(), self._rows.fileno(), os.fstat(part.fileno()).st_size)
        path.unlink()

    def commit(self, position: Position, counts: dict[str, Any]) -> None:
        """Note that a piece is done, with its position and its counts."""
        self.position = position
        written = self._rows.tell()
        self._write({"to": position, "written": written, "counts": counts})

    def finish(self) -> None:
        """Put the rows in their place with a receipt beside them, and remove everything else."""
        os.fsync(self._rows.fileno())
        digest = self._place()
        write_receipt(self.output, self.folder, self.plan, digest, self.summary.counts())
        shutil.rmtree(self.folder, ignore_errors=True)  # what is left does no harm
        self._close()
        if os.name == "nt":  # which removes no open file
            shutil.rmtree(self.folder, ignore_errors=True)

    def _place(self) -> str:
        """Move the rows to the output, as Parquet if its name ends so; return their checksum."""
        self._rows.close()  # an open file cannot be moved everywhere
        placed = self.rows_path
        if self.output.suffix == PARQUET:
            placed = self.folder / "written"
            write_parquet(self.rows_path, placed)
        digest = checksum(placed)
        self._placed.write_text(digest)
        try:
            self.output.touch(exist_ok=False)
        except FileExistsError:
            self._placed.unlink()
            raise Taken(MEANWHILE) from None
        placed.replace(self.output)
        return digest

    def _take_back(self, has_entries: bool) -> None:
        """Move the rows back from the output, if an interrupted run put them there.

        Raises:
            Taken: The output is not the file that the run wrote.
            Changed: The output is missing.
        """
        if not self.output.exists():
            if has_entries and not self.rows_path.exists():
                raise Changed(ROWS_GONE)
        elif not self._is_placed():
            raise Taken(
                "has changed since this run wrote it; move it away, and restore the file of the run"
            )
        elif self.rows_path.exists():
            self.output.unlink()  # it is empty, or Parquet, written from the rows that are here
        else:
            self.output.replace(self.rows_path)
        self._placed.unlink(missing_ok=True)

    def _is_placed(self) -> bool:
        """Check whether the output is what this run put there, or an empty file just before."""
        if not self._placed.exists():
            return False
        is_made = self.output.stat().st_size == 0 and self.rows_path.exists()
        return is_made or self._placed.read_text() == checksum(self.output)

    def park(self) -> None:
        """Close everything so that it can be resumed; if no piece is done, remove the folder."""
        self._close()
        if self.position == Position() and not self._has_log():
            shutil.rmtree(self.folder)

    def publish(self) -> None:
        """Move the rows so far to the output; the run can still be resumed."""
        self._place()
        self._close()

    def _close(self) -> None:
        self._rows.close()
        self._journal.close()

    def _has_log(self) -> bool:
        """Whether calls began that belong to no piece that is done."""
        log = log_of(self.output)
        return log.exists() and log.stat().st_size > 0

    def _lock(self) -> None:
        try:
            lock_file(self._journal)
            # Not so if the run that had it has finished meanwhile.
            path = self.folder / "journal"
            is_ours = os.path.samestat(os.fstat(self._journal.fileno()), path.stat())
        except OSError:
            is_ours = False
        if not is_ours:
            self._journal.close()
            raise Taken("is being written by another run")

    def _write(self, line: dict[str, Any]) -> None:
        self._journal.write(json.dumps(line).encode() + b"\n")
        self._journal.flush()

    def _read(self) -> tuple[dict[str, Any] | None, list[_Entry]]:
        """Read the journal; a last line that was cut off is removed.

        Each run begins with its own header; the last header counts, as does the last entry of a
        piece that was done again. The header is None if the first line was not written.
        """
        self._journal.seek(0)
        text = self._journal.read()
        whole = text[: text.rfind(b"\n") + 1]
        self._journal.truncate(len(whole))
        lines = [json.loads(line) for line in whole.splitlines()]
        headers = [line for line in lines if "version" in line]
        entries = [
            _Entry(Position(*line["to"]), line["written"], line["counts"])
            for line in lines
            if "to" in line
        ]
        header = headers[-1] if headers else None
        return header, list({entry.position: entry for entry in entries}.values())

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


def finished_run(output: Path, plan: dict[str, Any]) -> Summary | None:
    """Return the counts of the finished run with this output; None if there was none.

    Raises:
        Taken: The output is not as the run left it.
        Changed: The run had another plan.
    """
    receipt = Receipt.read(output)
    if receipt is None:
        return None
    changed = changed_parts(receipt.plan, plan)
    if changed:
        raise Changed(f"{changed} changed since the run finished; {NEW_OUTPUT}")
    if not receipt.is_of(output):
        raise Taken(f"has changed since the run finished; {NEW_OUTPUT}")
    shutil.rmtree(folder_of(output), ignore_errors=True)  # the run may have been killed just there
    return Summary.of_counts(receipt.counts)


def _copy(source: int, target: int, size: int) -> None:
    """Append a file to another one at its current position, in the kernel if possible."""
    try:
        while size:
            size -= os.copy_file_range(source, target, size)
    except AttributeError:  # only Linux has it
        pass
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
