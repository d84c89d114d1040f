"""The options of `toolhaft batch`, and the job that they ask for, here or in a worker."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack, redirect_stderr
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, NamedTuple

from toolhaft.batch.calls import Fields
from toolhaft.batch.catalogue import Catalogue, digest_of
from toolhaft.batch.inputs import sizes
from toolhaft.batch.job import Job
from toolhaft.cli.errors import Unusable
from toolhaft.cli.options import require_context
from toolhaft.cli.source import load
from toolhaft.imports.declarations import ENDINGS

__all__ = ["Options", "load_job", "make_job"]

# Smaller inputs are done before other processes have started.
ALONE_BYTES = 64 << 20


class Options(NamedTuple):
    """The options of `toolhaft batch`; they are sent to worker processes too."""

    tools: str
    calls: Sequence[str]
    output: str | None
    resume: bool
    workers: int | None
    engine: Literal["local", "ray"]
    address: str | None
    execute: bool
    concurrency: int
    deadline: float | None
    show: bool
    fields: Fields
    max_line_bytes: int
    context: Any
    shape: str

    def made_absolute(self) -> Options:
        """Make the path of the tools absolute, for processes with another current folder."""
        module, colon, name = self.tools.rpartition(":")
        path, suffix = (self.tools, "") if Path(self.tools).is_file() else (module, colon + name)
        if not Path(path).is_file():
            return self
        return self._replace(tools=f"{Path(path).resolve()}{suffix}")

    def reading_job(self) -> Job:
        """Return a job without tools, which reads calls by the options for fields and line size."""
        return Job(Catalogue(()), self.fields, max_line_bytes=self.max_line_bytes)

    def count_workers(self, paths: Sequence[str]) -> int:
        """Return how many processes check the calls of these files."""
        if self.show or self.execute:
            return 1
        if self.workers is not None:
            return self.workers
        return os.cpu_count() or 1 if sum(sizes(paths) or ()) > ALONE_BYTES else 1


def load_job(options: Options) -> tuple[Job, str]:
    """Load the tools; give the job, and the digest of the tools.

    Raises:
        Unusable: The tools cannot be used.
    """
    source = load(options.tools)
    file = Path(options.tools)
    if options.tools.endswith(ENDINGS) and file.is_file():  # not openapi:FILE
        digest = sha256(file.read_bytes()).hexdigest()
    else:
        digest = digest_of(tool for tool, _ in source.tools)
    if source.lacks and options.execute:
        raise Unusable(f"{options.tools}: {source.lacks}")
    runs = source.runs and options.execute
    if runs:
        require_context((tool for tool, _ in source.tools), options.context)
        source = source.with_deadline(options.deadline)
    catalogue = Catalogue.of(source)
    job = Job(catalogue, options.fields, runs, options.context, options.max_line_bytes)
    return job, digest


def make_job(options: Options, is_first: bool) -> tuple[Job, str]:
    """Like `load_job`, in a worker; only the first one writes to standard error.

    Raises:
        Unusable: The tools cannot be used.
    """
    with ExitStack() as stack:
        if not is_first:
            nowhere = stack.enter_context(Path(os.devnull).open("w"))
            stack.enter_context(redirect_stderr(nowhere))
        try:
            return load_job(options)
        except Unusable as error:
            raise Unusable(*error.message.split("\n")) from None  # which can be pickled
