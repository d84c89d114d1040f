"""Read a file of rows; a file that cannot be read is one line for the user, and exit code 2."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from toolhaft.batch.compression import NeedsLibrary, Unreadable, decompressed
from toolhaft.batch.lines import MAX_LINE_BYTES, Line, read_lines
from toolhaft.cli.unusable import Unusable
from toolhaft.loading.faults import one_line

__all__ = ["Reading", "readable"]


class Reading:
    """A file, gzip or plain, or standard input for `-`; read once, whole or line by line.

    Raises:
        Unusable: from each method, where the file cannot be read or is damaged.
    """

    def __init__(self, target: str) -> None:
        self.target = target
        with readable(self.target):
            self._file = _stdin() if target == "-" else Path(target).open("rb")  # noqa: SIM115 - closed after the last line

    def lines(self, limit: int = MAX_LINE_BYTES) -> Iterator[Line]:
        """Give the lines of the text."""
        with readable(self.target), self._file as file, decompressed(file) as stream:
            yield from read_lines(stream, limit)

    def whole(self, limit: int) -> bytes:
        """Give all of the text, or one byte more than `limit` of a longer one."""
        with readable(self.target), self._file as file, decompressed(file) as stream:
            return stream.read(limit + 1)

    def close(self) -> None:
        """Close the file, read or not."""
        self._file.close()


@contextmanager
def readable(target: str) -> Generator[None]:
    """Say in one line that a file cannot be read.

    Raises:
        Unusable: with the reason.
    """
    try:
        yield
    except FileNotFoundError:
        raise Unusable(f"{target}: there is no such file") from None
    except NeedsLibrary as error:
        raise Unusable(f"{target}: {error}") from None
    except Unreadable as error:
        raise Unusable(one_line(str(error))) from None
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Unusable(f"{target}: cannot be read: {one_line(reason)}") from None


def _stdin() -> BufferedReader:
    return open(sys.stdin.fileno(), "rb", closefd=False)
