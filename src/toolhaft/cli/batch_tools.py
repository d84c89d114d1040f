"""The tools of a batch, loaded in this process or in a worker."""

from __future__ import annotations

import os
from contextlib import ExitStack, redirect_stderr
from hashlib import sha256
from pathlib import Path

from toolhaft.batch.catalogue import Catalogue, digest_of
from toolhaft.batch.job import Job
from toolhaft.cli.batch_options import Options
from toolhaft.cli.context import require_context
from toolhaft.cli.source import load
from toolhaft.cli.unusable import Unusable
from toolhaft.imports.declarations import ENDINGS

__all__ = ["load_job", "make_job"]


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
