"""The options of `toolhaft batch`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from toolhaft.batch.calls import Fields
from toolhaft.batch.catalogue import Catalogue
from toolhaft.batch.inputs import sizes
from toolhaft.batch.job import Job

__all__ = ["Options"]

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
