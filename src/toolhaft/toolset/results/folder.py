"""Kept results in a folder that only its user may read: a file each, whole or not at all."""

from __future__ import annotations

import json
import os
import stat
from array import array
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final

from toolhaft.errors import ToolhaftError
from toolhaft.toolset.results.kept import EACH, Facts, Kept, units_of, units_of_text

__all__ = ["Folder"]

SUFFIX: Final = ".result"
PART: Final = ".part"
# The last bytes of a file are the length of what describes it.
LENGTH: Final = 8
BUFFER: Final = 1 << 16


class Folder:
    """A folder of kept results, which several processes may share.

    Raises:
        ToolhaftError: It cannot be used, or others may read it.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        try:
            self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
            mode = self._path.stat().st_mode
        except OSError as error:
            raise ToolhaftError(f"{path}: cannot be used: {error.strerror}") from None
        except ValueError:
            raise ToolhaftError("Store: folder: not a path; it has a null character") from None
        if os.name == "posix" and stat.S_IMODE(mode) & 0o077:
            raise ToolhaftError(f"{path}: others may read or write it; chmod 700 it")

    def keep(self, id: str, data: Any, tool: str, owner: str, until: float) -> Kept:
        """Write a result; when this returns it is on the disk, under its name."""
        part, path = self._path / f"{id}{PART}", self._path / f"{id}{SUFFIX}"
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb", BUFFER) as file:
                facts, places = _write(file, data, tool, owner, until)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        self._sync()
        return _KeptInFile(path, facts, places)

    def find(self, id: str) -> Kept | None:
        """Open a result; None if there is none, or the file is damaged."""
        path = self._path / f"{id}{SUFFIX}"
        try:
            with path.open("rb") as file:
                size = file.seek(-LENGTH, os.SEEK_END)
                length = int.from_bytes(file.read(LENGTH), "big")
                file.seek(size - length)
                described = json.loads(file.read(length))
            return _KeptInFile(path, Facts(*described["facts"]), array("Q", described["places"]))
        except (OSError, ValueError, TypeError, KeyError, OverflowError):
            return None

    def forget(self, before: float) -> None:
        """Delete results and unfinished files that are older than a time."""
        for path in self._path.iterdir():
            if path.suffix in (SUFFIX, PART):
                with suppress(OSError):  # another process was first
                    if path.stat().st_mtime < before:
                        path.unlink()

    def _sync(self) -> None:
        if os.name == "posix":
            descriptor = os.open(self._path, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def _write(
    file: BinaryIO, data: Any, tool: str, owner: str, until: float
) -> tuple[Facts, array[int]]:
    """Write units, each item on a line, then what describes them."""
    unit, units = units_of(data)
    end = b"\n" if unit == "items" else b""
    places, count, characters, at = array("Q"), 0, 0, 0
    for written in units:
        if count % EACH == 0:
            places.append(at)
        at += file.write(written.encode() + end)
        count, characters = count + 1, characters + len(written)
    places.append(at)
    facts = Facts(tool, owner, until, unit, count, characters)
    described = json.dumps({"facts": facts, "places": places.tolist()}).encode()
    file.write(described + len(described).to_bytes(LENGTH, "big"))
    return facts, places


class _KeptInFile(Kept):
    """A result in a file, of which a block is read at a time."""

    def __init__(self, path: Path, facts: Facts, places: array[int]) -> None:
        super().__init__(facts)
        self._path, self._places = path, places

    def read(self, offset: int) -> Iterator[str]:
        """Yield the units from an offset on."""
        first = offset // EACH
        with self._path.open("rb") as file:
            for block in range(first, len(self._places) - 1):
                begin, end = self._places[block], self._places[block + 1]
                file.seek(begin)
                text = file.read(end - begin).decode()
                units = text.splitlines() if self.facts.unit == "items" else units_of_text(text)
                yield from islice(units, offset % EACH if block == first else 0, None)
