"""Lock a file for the process that writes it; the system unlocks it when that process ends."""

from __future__ import annotations

import os
from typing import Any, BinaryIO, Final

__all__ = ["lock_file"]

# Windows keeps others from reading and writing locked bytes: one that no file has is locked.
FAR_BYTE: Final = 1 << 42


def lock_file(file: BinaryIO) -> None:
    """Lock an open file until it is closed; on a system without locks, do nothing.

    Raises:
        BlockingIOError: Another open file has the lock.
    """
    try:
        import fcntl
    except ImportError:
        _lock_far_byte(file.fileno())
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _lock_far_byte(descriptor: int) -> None:
    try:
        import msvcrt
    except ImportError:
        return
    windows: Any = msvcrt  # whose functions only type checkers on Windows know
    position = os.lseek(descriptor, 0, os.SEEK_CUR)
    os.lseek(descriptor, FAR_BYTE, os.SEEK_SET)
    try:
        windows.locking(descriptor, windows.LK_NBLCK, 1)
    except OSError as error:
        raise BlockingIOError(error.errno, error.strerror) from None
    finally:
        os.lseek(descriptor, position, os.SEEK_SET)
