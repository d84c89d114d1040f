"""The option `--format`, which every command that writes something has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

__all__ = ["format_option"]

F = TypeVar("F", bound=Callable[..., Any])


def format_option(
    description: str | None = None, formats: Sequence[str] = ("text", "json")
) -> Callable[[F], F]:
    """Add `--format` to a command, as the parameter `shape`; the first format is the default."""
    return click.option(
        "--format",
        "shape",
        type=click.Choice(formats),
        default=formats[0],
        help=description,
    )
