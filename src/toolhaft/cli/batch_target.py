"""The place of a batch's output: a file with its journal, a device, standard output, or none."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TextIO

from toolhaft.batch import inputs
from toolhaft.batch.columns import PARQUET
from toolhaft.batch.journal import Journal, finished_run, folder_of, log_of
from toolhaft.batch.output import JournalOutput, Output, StreamOutput
from toolhaft.batch.pieces import STDIN
from toolhaft.batch.receipt import Receipt
from toolhaft.batch.summary import Summary
from toolhaft.cli.batch_options import Options
from toolhaft.cli.errors import Unusable

__all__ = ["Target"]

ENDINGS = frozenset({"", ".jsonl", ".ndjson"})
STREAMS = (
    "--resume needs an output file, and calls from files: "
    "a stream cannot be read or written a second time"
)
DANGLING = "is a link to a file that does not exist; name the file itself"
KINDS = "rows are written as .jsonl, .jsonl.gz, .jsonl.zst or .parquet; name such a file"


class Target:
    """Where the rows go; `folder` is where workers leave them, `name` says how they are packed.

    Raises:
        Unusable: It is one of the files of calls, or cannot be taken up again.
    """

    def __init__(self, options: Options, paths: list[str], out: TextIO, stack: ExitStack) -> None:
        self.options, self.paths, self.out, self.stack = options, paths, out, stack
        output = options.output
        path = None if output in {None, STDIN} else Path(output or "").resolve()
        if path is not None and Path(output or "").is_symlink() and not path.exists():
            raise Unusable(f"{output}: {DANGLING}")
        is_file = path is not None and (path.is_file() or not path.exists())
        self.file = path if is_file else None
        self.device = None if is_file else path
        if path is not None and path in (Path(calls).resolve() for calls in paths):
            raise Unusable(f"{output}: is also the file of calls; name another --output")
        if self.file is not None and not _is_kind_of_rows(self.file):
            raise Unusable(f"{output}: {KINDS}")
        if options.resume and (self.file is None or not all(map(inputs.is_lasting, paths))):
            raise Unusable(STREAMS)
        if self.file is None:
            self.name, self.log_path = "", None
            self.folder = Path(stack.enter_context(TemporaryDirectory()))
        else:
            self.name, self.log_path = self.file.name, log_of(self.file)
            self.folder = folder_of(self.file)

    @property
    def has_receipt(self) -> bool:
        """Whether the output is that of a finished run."""
        return self.file is not None and Receipt.read(self.file) is not None

    def finished(self, digest: str) -> Summary | None:
        """Return the counts of the finished run of the same calls, tools and options."""
        return None if self.file is None else finished_run(self.file, self._plan(digest))

    def open(self, digest: str) -> Output:
        """Open the output, new or resumed."""
        if self.file is not None:
            journal = Journal(self.file, self._plan(digest), resume=self.options.resume)
            return JournalOutput(journal)
        if self.device is not None:
            return StreamOutput(self.stack.enter_context(self.device.open("wb")))
        return StreamOutput(self.out.buffer if self.options.output == STDIN else None)

    def _plan(self, digest: str) -> dict[str, object]:
        options = self.options
        return {
            "calls": inputs.describe(self.paths),
            "tools": digest,
            "options": [options.fields, options.max_line_bytes, options.execute],
        }


def _is_kind_of_rows(path: Path) -> bool:
    """Whether a file name has an ending of rows, or none."""
    packed = path.suffix in (".gz", ".zst")
    return path.suffix == PARQUET or (path.with_suffix("") if packed else path).suffix in ENDINGS
