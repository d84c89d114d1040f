"""The error of a command whose input cannot be used."""

from __future__ import annotations

import sys
from typing import IO, Any

import click

from toolhaft.errors import DefinitionError

__all__ = ["Unusable", "one_line"]

MOST_CHARS = 300


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
            click.echo(f"toolhaft: {reason}", file=file or sys.stderr)


def one_line(text: str) -> str:
    """Bring a text of any length onto one short line."""
    words = " ".join(text.split())
    return words if len(words) <= MOST_CHARS else words[: MOST_CHARS - 1] + "…"
