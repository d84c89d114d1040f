"""Which of the processes that share a file still run: each holds a lock that ends with it.

A process that is killed cannot report that, and a busy process must not count as dead. So nothing
is timed: the system releases the lock of a process when the process ends, however it ends.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Final

try:
    import fcntl
except ImportError:  # a system without such locks: one process at a time
    locks: ModuleType | None = None
else:
    locks = fcntl

__all__ = ["Owner", "has_locks", "owner_of"]

OPENING: Final = 0  # the byte that is locked while a file is prepared
# The owners of this process, by process, device and inode. Descriptors stay open until the process
# ends: closing any descriptor of a file releases all locks that a process has on it (POSIX).
OWNERS: dict[tuple[int, int, int], Owner] = {}


class Owner:
    """This process, as the others that use the same file see it; `running` are its keys."""

    def __init__(self, path: str) -> None:
        self.id = 1 + secrets.randbits(62)
        self.running: set[bytes] = set()
        self._descriptor = os.open(path, os.O_RDWR)
        if locks is not None:
            locks.lockf(self._descriptor, locks.LOCK_EX | locks.LOCK_NB, 1, self.id)

    def runs(self, owner: int, key: bytes) -> bool:
        """Whether a call that an owner began may still run: its process does, and has the key."""
        if owner == self.id:
            return key in self.running
        if locks is None:
            return False
        try:
            locks.lockf(self._descriptor, locks.LOCK_SH | locks.LOCK_NB, 1, owner)
        except OSError:  # the owner holds it
            return True
        locks.lockf(self._descriptor, locks.LOCK_UN, 1, owner)
        return False

    @contextmanager
    def preparing(self) -> Generator[None]:
        """Let one process at a time prepare the file."""
        if locks is None:
            yield
            return
        locks.lockf(self._descriptor, locks.LOCK_EX, 1, OPENING)
        try:
            yield
        finally:
            locks.lockf(self._descriptor, locks.LOCK_UN, 1, OPENING)


def has_locks() -> bool:
    """Whether processes can tell which of them still run."""
    return locks is not None


def owner_of(path: str) -> Owner:
    """Return the owner that this process is for a file of locks.

    Raises:
        OSError: The file cannot be opened or locked.
    """
    status = Path(path).stat()
    place = os.getpid(), status.st_dev, status.st_ino
    if place not in OWNERS:
        OWNERS[place] = Owner(path)
    return OWNERS[place]
