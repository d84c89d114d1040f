"""What the command line asks of a batch."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

from toolhaft.batch.calls import Fields
from toolhaft.batch.inputs import sizes

__all__ = ["Options"]

# Less is done before other processes are up.
ALONE_BYTES = 64 << 20


class Options(NamedTuple):
    """The options of `toolhaft batch`, which go to other processes too."""

    tools: str
    calls: Sequence[str]
    output: str | None
    resume: bool
    workers: int | None
    execute: bool
    concurrency: int
    deadline: float | None
    show: bool
    fields: Fields
    max_line_bytes: int
    context: Any
    shape: str

    def count_workers(self, paths: Sequence[str]) -> int:
        """Say how many processes check the calls of these files."""
        if self.show or self.execute:
            return 1
        if self.workers is not None:
            return self.workers
        return os.cpu_count() or 1 if sum(sizes(paths) or ()) > ALONE_BYTES else 1
