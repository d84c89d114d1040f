"""The inputs of a batch: files, patterns of files, standard input; cut into pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from glob import glob, has_magic
from itertools import chain
from pathlib import Path
from stat import S_ISREG
from typing import Any

from toolhaft.batch.pieces import START, STDIN, Piece, Position, cut

__all__ = ["describe", "expand", "is_lasting", "pieces_of", "require_readable", "sizes"]


def expand(targets: Sequence[str]) -> list[str]:
    """Return the files of patterns, in alphabetical order; a name of a file is that file.

    Raises:
        FileNotFoundError: A pattern matches no file.
    """
    return list(chain.from_iterable(map(_matching, targets)))


def _matching(target: str) -> list[str]:
    if not has_magic(target) or Path(target).exists():
        return [target]
    matches = glob(target, recursive=True)  # noqa: PTH207 - of a path that may be absolute
    paths = sorted(path for path in matches if Path(path).is_file())
    if not paths:
        raise FileNotFoundError(target)
    return paths


def require_readable(path: str) -> None:
    """Check that an input exists and can be opened; a pipe is left alone.

    Raises:
        OSError: It is not.
    """
    if path != STDIN and S_ISREG(Path(path).stat().st_mode):
        Path(path).open("rb").close()


def is_lasting(path: str) -> bool:
    """Check whether an input can be read again: not so standard input, a pipe or a device.

    A file that is missing is reported by `require_readable`.
    """
    return path != STDIN and (not Path(path).exists() or Path(path).is_file())


def describe(paths: Sequence[str]) -> list[list[Any]]:
    """Return path, size and time of change of each input, to notice files that changed."""
    return [[path] if path == STDIN else _describe(path) for path in paths]


def _describe(path: str) -> list[Any]:
    status = Path(path).stat()
    return [str(Path(path).resolve()), status.st_size, status.st_mtime_ns]


def pieces_of(path: str, number: int, limit: int, after: Position = START) -> Iterator[Piece]:
    """Cut an input into pieces, those behind a position among all inputs.

    Raises:
        OSError, EOFError, zlib.error, NeedsLibrary, Unreadable: It cannot be read, or is damaged.
    """
    if number >= after.input:
        start = after if number == after.input else Position(number)
        yield from cut(path, number, after=start, limit=limit)


def sizes(paths: Sequence[str]) -> list[int] | None:
    """Return the size of each input in bytes, or None if one is not a file."""
    if not all(Path(path).is_file() for path in paths):
        return None
    return [Path(path).stat().st_size for path in paths]
