"""A file that cannot be read is one line for the user, and exit code 2."""

from __future__ import annotations

import zlib
from collections.abc import Generator
from contextlib import contextmanager

from toolhaft.batch.compression import NeedsLibrary, Unreadable
from toolhaft.cli.unusable import Unusable
from toolhaft.loading.faults import one_line

__all__ = ["readable"]


@contextmanager
def readable(target: str) -> Generator[None]:
    """Report in one line that a file cannot be read.

    Raises:
        Unusable: with the reason.
    """
    try:
        yield
    except FileNotFoundError:
        raise Unusable(f"{target}: no such file") from None
    except NeedsLibrary as error:
        raise Unusable(f"{target}: {error}") from None
    except Unreadable as error:
        raise Unusable(one_line(str(error))) from None
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Unusable(f"{target}: cannot be read: {one_line(reason)}") from None
