"""The error of a command whose input cannot be used."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from traceback import format_exception
from typing import IO, Any, NamedTuple

import click

from toolhaft.definition import names
from toolhaft.errors import DefinitionError

__all__ = ["TRACEBACK", "Broken", "Faulty", "Unusable", "name_near_file", "one_line"]
__all__ += ["show_traceback"]

MOST_CHARS = 300
MOST_REASONS = 20


class Unusable(click.ClickException):
    """Wrong input: each reason is one line on standard error, and the exit code is 2."""

    exit_code = 2

    def __init__(self, *reasons: str) -> None:
        super().__init__("\n".join(reasons))

    @classmethod
    def from_definition_error(cls, where: str, error: DefinitionError) -> Unusable:
        """Say every fault of a definition, each on its own line."""
        return cls(*(f"{where}: {one_line(str(fault))}" for fault in error.faults))

    def show(self, file: IO[Any] | None = None) -> None:
        for reason in self.message.split("\n"):
            shown = names.escape_text(reason, 10 * len(reason) + 1)
            click.echo(f"toolhaft: {shown}", file=file or sys.stderr)


class Faulty(NamedTuple):
    """A tool that cannot be: its name and id, everything wrong, and `file:line` where known.

    `is_call` says that it reads as a call of a tool.
    """

    name: Any
    id: Any
    reasons: list[str]
    is_call: bool = False
    where: str = ""


class Broken(Unusable):
    """A user's module that cannot be used; `faulty` says what is wrong with it, and where."""

    def __init__(self, faulty: Sequence[Faulty]) -> None:
        reasons = [
            f"{unusable.where}: {reason}" if unusable.where else reason
            for unusable in faulty
            for reason in unusable.reasons
        ]
        more = [f"and {len(reasons) - MOST_REASONS:,} more"] if len(reasons) > MOST_REASONS else []
        super().__init__(*reasons[:MOST_REASONS], *more)
        self.faulty = faulty


TRACEBACK = "toolhaft.cli.traceback"


def show_traceback(error: Unusable) -> None:
    """Write the traceback of what made something unusable, where --traceback asks for it."""
    asked = click.get_current_context().meta.get(TRACEBACK)
    if asked and error.__context__ is not None:
        click.echo("".join(format_exception(error.__context__)), err=True, nl=False)


def name_near_file(target: str, pattern: str) -> str:
    """Ask whether another file of the folder is meant; empty where none is near."""
    folder = Path(target).parent
    files = (str(folder / path.name) for path in sorted(folder.glob(pattern)))
    near = names.nearest(target, files)
    return f"; did you mean {near}?" if near else ""


def one_line(text: str) -> str:
    """Bring a text of any length onto one short line."""
    words = " ".join(text.split())
    return words if len(words) <= MOST_CHARS else words[: MOST_CHARS - 1] + "…"
