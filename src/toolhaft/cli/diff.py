"""`toolhaft diff`: what changed between two versions of tools, and whom it breaks.

Each side is

toolhaft.lock                    a lock
tools.py, mcp+stdio:npx server   TOOLS, as everywhere
git:v1.2:src/tools.py            tools of a revision of the repository in this folder
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TextIO
from zipfile import ZipFile

import click

from toolhaft.cli.errors import Unusable
from toolhaft.cli.options import FILE, format_option
from toolhaft.cli.source import SERVERS, load, load_offers
from toolhaft.cli.stdout import reserve_stdout
from toolhaft.cli.terminal import (
    draws,
    escape,
    fold,
    screen_width,
    style,
    warnings_as_lines,
    write_json,
)
from toolhaft.definition import names
from toolhaft.jsonio import jsontext
from toolhaft.loading.faults import one_line
from toolhaft.review import lock
from toolhaft.review.diff import Change, Class
from toolhaft.review.diff import diff as changes_between
from toolhaft.review.lock import Definitions, LockError
from toolhaft.review.places import describe_place

__all__ = ["diff", "write_changes"]

LOCKS = (".lock", ".lock.json")
SECONDS = 60
MAX_BYTES, MAX_DEPTH = 64 << 20, 250
LOCKING = "from toolhaft.cli import main; main()"


@click.command(short_help="Show changes between two versions of tools.")
@click.argument("old", metavar="OLD", type=FILE)
@click.argument("new", metavar="NEW", type=FILE)
@format_option("The output format.")
def diff(old: str, new: str, shape: str) -> None:
    """List the changes from OLD to NEW.

    Each is TOOLS as for other commands, a lock (toolhaft.lock), tools of a git revision
    (git:v1.2:tools.py), or a server ("mcp+stdio:python server.py").

    Exit codes: 0 nothing breaks, 1 something breaks callers, 2 usage.
    """
    with reserve_stdout() as out:
        changes = changes_between(_definitions(old), _definitions(new))
        write_changes(changes, shape, out)
    if any(change.callers == "breaking" for change in changes):
        sys.exit(1)


def write_changes(changes: list[Change], shape: str, out: TextIO) -> None:
    """Write changes as JSON, as lines, or in colours for a terminal."""
    if shape == "json":
        out.write(write_json([change._asdict() for change in changes]) + "\n")
    elif draws(out):
        _draw_changes(changes, out)
    else:
        _write_lines(changes, out)


def _write_lines(changes: list[Change], out: TextIO) -> None:
    """One line for each change, and a line that counts them."""
    for change in changes:
        place = names.escape_text(describe_place(change.tool, change.pointer), 160)
        out.write(f"{change.callers:<9} {place}: {escape(_describe(change))}\n")
    out.write(_summary(changes))


def _draw_changes(changes: list[Change], out: TextIO) -> None:
    """Write the changes for a terminal: breaking changes first, folded at words."""
    width = screen_width()
    for change in sorted(changes, key=lambda change: ORDER.index(change.callers)):
        place = describe_place(change.tool, change.pointer)
        mark = style(f"{change.callers:<9}", COLOURS[change.callers], bold=True)
        lines = fold(mark, f"{place}: {_describe(change)}", width, indent=10)
        out.writelines(f"{line}\n" for line in lines)
    out.write(f"\n{_summary(changes)}" if changes else _summary(changes))


def _describe(change: Change) -> str:
    model = "" if change.model == change.callers else f" (model: {change.model})"
    return f"{change.what}{model}"


def _summary(changes: list[Change]) -> str:
    counts = Counter(change.callers for change in changes)
    summary = ", ".join(f"{counts[kind]} {kind}" for kind in COLOURS if counts[kind])
    return f"{summary or 'nothing changed'}\n"


def _definitions(target: str) -> Definitions:
    """Return the definitions that a side of `diff` names.

    Raises:
        Unusable: with the reason.
    """
    if target.startswith("git:"):
        return _definitions_of_revision(target)
    try:
        if target.endswith(LOCKS):
            locked = lock.read_lock(target, offers=True)
            with warnings_as_lines():
                lock.warn_without_rules(locked)
            return locked
        source = load(target)
        tools = (tool for tool, _ in source.tools)
        offers = load_offers(source).definitions()
        written = lock.read_lock(lock.write_lock(tools, offers), offers=True)
        # A server does not send the rules of its tools.
        return lock.without_rules(written) if target.startswith(SERVERS) else written
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
            return _definitions(str(Path(folder) / path))
        command = [sys.executable, "-P", "-c", LOCKING, "lock", path, "-o", "-"]
        output = _run(target, command, folder)
        written = jsontext.read(output, max_bytes=MAX_BYTES, max_depth=MAX_DEPTH)
        return lock.read_lock(written, offers=True)


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


# The severe ones first.
COLOURS: Final[dict[Class, str]] = {
    "breaking": "red",
    "unknown": "yellow",
    "widening": "cyan",
    "harmless": "green",
}
ORDER: Final = tuple(COLOURS)
