"""`toolhaft diff`: what changed between two versions of tools, and whom it breaks."""

from __future__ import annotations

import sys
from collections import Counter
from typing import Final, TextIO

import click

from toolhaft.cli.definitions import definitions
from toolhaft.cli.stdout import reserve_stdout
from toolhaft.cli.terminal import (
    describe_place,
    draws,
    escape,
    fold,
    screen_width,
    style,
    write_json,
)
from toolhaft.definition import names
from toolhaft.review.diff import Change, Class
from toolhaft.review.diff import diff as changes_between

__all__ = ["diff"]


@click.command(short_help="Say what changed, and whom it breaks.")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option("--format", "shape", type=click.Choice(["text", "json"]), default="text")
def diff(old: str, new: str, shape: str) -> None:
    """List the changes from OLD to NEW.

    Each is TOOLS as for other commands, a lock (toolhaft.lock), tools of a git revision
    (git:v1.2:tools.py), or a server ("mcp+stdio:python server.py").

    Exit codes: 0 nothing breaks, 1 something breaks callers, 2 usage.
    """
    with reserve_stdout() as out:
        changes = changes_between(definitions(old), definitions(new))
        if shape == "json":
            out.write(write_json([change._asdict() for change in changes]) + "\n")
        elif draws(out):
            _draw_changes(changes, out)
        else:
            _write_changes(changes, out)
    if any(change.callers == "breaking" for change in changes):
        sys.exit(1)


def _write_changes(changes: list[Change], out: TextIO) -> None:
    """One line for each change, and a line that counts them."""
    for change in changes:
        place = names.escape_text(f"{change.tool}{change.pointer}", 160)
        out.write(f"{change.callers:<9} {place}: {escape(_describe(change))}\n")
    out.write(_summary(changes))


def _draw_changes(changes: list[Change], out: TextIO) -> None:
    """Write the changes for a terminal: what breaks callers first, folded at words."""
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


# The severe ones first.
COLOURS: Final[dict[Class, str]] = {
    "breaking": "red",
    "unknown": "yellow",
    "widening": "cyan",
    "harmless": "green",
}
ORDER: Final = tuple(COLOURS)
