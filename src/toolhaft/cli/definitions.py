"""What a side of `diff` stands for: a lock, tools, or tools as of a git revision.

toolhaft.lock                    a lock
tools.py, mcp+stdio:npx server   TOOLS, as everywhere
git:v1.2:src/tools.py            tools of a revision of the repository in this folder
"""

from __future__ import annotations

import subprocess
import sys
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

from toolhaft.cli.source import load
from toolhaft.cli.unusable import Unusable, one_line
from toolhaft.jsonio import jsontext
from toolhaft.review import lock
from toolhaft.review.lock import Definitions, LockError

__all__ = ["definitions"]

LOCKS = (".lock", ".lock.json")
SECONDS = 60
MAX_BYTES, MAX_DEPTH = 64 << 20, 250
LOCKING = "from toolhaft.cli import main; main()"


def definitions(target: str) -> Definitions:
    """Give the definitions that a side of `diff` names.

    Raises:
        Unusable: with the reason.
    """
    if target.startswith("git:"):
        return _definitions_of_revision(target)
    try:
        if target.endswith(LOCKS):
            return lock.read_lock(target)
        return lock.read_lock(lock.write_lock(tool for tool, _ in load(target).tools))
    except LockError as error:
        raise Unusable(str(error)) from None


def _definitions_of_revision(target: str) -> Definitions:
    """Lock the tools of a revision in a process of their own, beside the files of that time."""
    _, revision, path = (*target.split(":", 2), "", "")[:3]
    if not revision or not path or revision.startswith("-"):
        raise Unusable(f"{target}: expected git:REVISION:PATH, as in git:v1.2:tools.py")
    with TemporaryDirectory() as folder:
        output = _run(target, ["git", "archive", "--format=zip", revision])
        with ZipFile(BytesIO(output)) as files:
            files.extractall(folder)
        if path.endswith(LOCKS):
            return definitions(str(Path(folder) / path))
        command = [sys.executable, "-P", "-c", LOCKING, "lock", path, "-o", "-"]
        output = _run(target, command, folder)
        return lock.read_lock(jsontext.read(output, max_bytes=MAX_BYTES, max_depth=MAX_DEPTH))


def _run(target: str, command: list[str], folder: str | None = None) -> bytes:
    try:
        ended = subprocess.run(  # noqa: S603 - git, or this very interpreter
            command, cwd=folder, capture_output=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unusable(f"{target}: {command[0]}: {type(error).__name__}") from None
    if ended.returncode:
        raise Unusable(f"{target}: {one_line(ended.stderr.decode(errors='replace'))}")
    return ended.stdout
