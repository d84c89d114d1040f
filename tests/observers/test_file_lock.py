"""One process writes a file, by the locks of each system."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from toolhaft.observers.file_lock import FAR_BYTE, lock_file


def test_a_file_has_one_writer_until_it_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with path.open("ab+") as first, path.open("ab+") as second:
        lock_file(first)
        with pytest.raises(BlockingIOError):
            lock_file(second)
        first.close()
        lock_file(second)


def test_windows_locks_a_byte_that_no_file_has(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    locked: list[int] = []

    def locking(descriptor: int, mode: str, count: int) -> None:
        assert (mode, count) == ("not blocking", 1)
        place = os.lseek(descriptor, 0, os.SEEK_CUR)
        if place in locked:
            raise OSError(errno.EACCES, "Permission denied")
        locked.append(place)

    msvcrt: Any = SimpleNamespace(LK_NBLCK="not blocking", locking=locking)
    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", msvcrt)
    with (tmp_path / "log").open("ab+", buffering=0) as file:
        file.write(b"line")
        lock_file(file)
        assert (locked, file.tell()) == ([FAR_BYTE], 4)
        with pytest.raises(BlockingIOError):
            lock_file(file)


def test_a_system_without_locks_has_as_many_writers_as_it_likes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", None)
    with (tmp_path / "log").open("ab+") as first, (tmp_path / "log").open("ab+") as second:
        lock_file(first)
        lock_file(second)
