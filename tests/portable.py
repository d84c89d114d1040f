"""Runs tests in a process without the names that only POSIX systems have.

    python -m tests.portable [pytest's arguments]

`make portable` runs the portable part of the suite. The names are removed before anything of
toolhaft is imported, as they are missing on Windows. Processes that tests start have them, and so
do workers of xdist: pass `-n 0`.
"""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest

__all__ = ["REMOVED", "import_everything", "remove_names"]

# Of what CPython documents as "Availability: Unix", what toolhaft could use.
REMOVED: Final[dict[ModuleType, tuple[str, ...]]] = {
    os: (
        *("O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "copy_file_range", "fork"),
        *("getpgid", "killpg", "lchown", "mkfifo", "pipe2", "posix_fadvise", "pread", "pwrite"),
        *("preadv", "register_at_fork", "sendfile", "setsid", "sched_getaffinity", "wait4"),
    ),
    signal: ("ITIMER_REAL", "SIGALRM", "SIGHUP", "SIGKILL", "SIGUSR1", "alarm", "setitimer"),
}
MODULES: Final = ("fcntl", "grp", "pwd", "resource", "termios")
SOURCE: Final = Path(__file__).parents[1] / "src"
# These import a framework, which need not be there.
HOSTS: Final = "toolhaft.frameworks."


def remove_names() -> None:
    """Remove the names from this process."""
    for module, names in REMOVED.items():
        for name in names:
            vars(module).pop(name, None)
    import_module("subprocess")  # which takes a system with `msvcrt` for Windows
    sys.modules |= {"msvcrt": locks_of_windows()}
    sys.modules |= dict.fromkeys(MODULES)  # type: ignore[arg-type]  # None: cannot be imported


def locks_of_windows() -> ModuleType:
    """Return a module with the one function of `msvcrt` that locks."""
    import fcntl

    def locking(descriptor: int, mode: int, count: int) -> None:
        del count
        try:
            fcntl.flock(descriptor, mode)
        except BlockingIOError as error:
            raise PermissionError(error.errno, error.strerror) from None

    module = ModuleType("msvcrt")
    vars(module).update(LK_NBLCK=fcntl.LOCK_EX | fcntl.LOCK_NB, locking=locking)
    return module


def import_everything() -> list[str]:
    """Import every module; return the names of those whose libraries are not installed."""
    missing = []
    for path in sorted((SOURCE / "toolhaft").rglob("*.py")):
        name = ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
        try:
            import_module(name)
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] in {"toolhaft", *MODULES}:
                raise
            missing.append(name)
    return missing


if __name__ == "__main__":
    remove_names()
    code = pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[1:]]) if sys.argv[1:] else 0
    if missing := [name for name in import_everything() if not name.startswith(HOSTS)]:
        sys.exit(f"not imported: {', '.join(missing)}")
    sys.exit(code)
