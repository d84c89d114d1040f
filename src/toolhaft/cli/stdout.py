"""Keep standard output for results, without the output of the tools' own code.

Descriptors are redirected, not `sys.stdout`, so that this holds for C libraries and child processes
too, and so that a module may still wrap or reconfigure `sys.stdout`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from errno import EPIPE
from tempfile import TemporaryFile
from typing import TextIO

from toolhaft.cli.errors import Unusable

__all__ = ["detect_output", "reserve_stdout"]


@contextmanager
def reserve_stdout() -> Generator[TextIO]:
    """Return the real standard output; meanwhile, other output goes to standard error.

    Raises:
        Unusable: Nothing can be written to it. A closed reader is left to click.
    """
    try:
        with (
            redirect_stdout(sys.stderr.fileno()) as former,
            open(former, "w", encoding="utf-8", closefd=False) as results,
        ):
            yield results
    except OSError as error:
        if error.errno == EPIPE:
            raise
        raise Unusable(f"standard output: cannot be written: {error.strerror}") from None


class Detected:
    """Whether anything was printed; known when the block is over."""

    anything = False


@contextmanager
def detect_output() -> Generator[Detected]:
    """Swallow what is printed meanwhile, and detect whether anything was."""
    heard = Detected()
    with TemporaryFile() as swallowed:
        try:
            with redirect_stdout(swallowed.fileno()):
                yield heard
        finally:
            heard.anything = os.fstat(swallowed.fileno()).st_size > 0


@contextmanager
def redirect_stdout(elsewhere: int) -> Generator[int]:
    """Redirect standard output; give a descriptor of the former one."""
    sys.stdout.flush()
    descriptor = sys.stdout.fileno()
    former = os.dup(descriptor)
    os.dup2(elsewhere, descriptor)
    try:
        yield former
    finally:
        sys.stdout.flush()
        os.dup2(former, descriptor)
        os.close(former)
