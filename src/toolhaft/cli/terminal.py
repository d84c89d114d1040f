"""The common parts of terminal screens: their width, colours and folded lines."""

from __future__ import annotations

import json
import os
import shutil
import warnings
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from textwrap import wrap
from typing import Any, Final, TextIO

import click

from toolhaft.definition import names
from toolhaft.jsonio import jsontext

__all__ = ["draws", "escape", "fold", "screen_width", "style", "warnings_as_lines", "write_json"]

MOST_WIDTH: Final = 120
LEAST_WIDTH: Final = 20
MOST_CHARS: Final = 2_000


@contextmanager
def warnings_as_lines() -> Generator[None]:
    """Write each warning of the block as one line on standard error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        finally:
            for warning in caught:
                click.echo(f"toolhaft: {escape(str(warning.message))}", err=True)


def draws(out: TextIO) -> bool:
    """Whether the output is a terminal, or is to be taken for one."""
    return out.isatty() or bool(os.environ.get("FORCE_COLOR"))


def screen_width() -> int:
    """Return the columns of the terminal, at most as many as are easily read."""
    return min(shutil.get_terminal_size((80, 24)).columns, MOST_WIDTH)


def style(text: str, colour: str | None = None, *, bold: bool = False) -> str:
    """Colour a text that is safe to show; with NO_COLOR it stays as it is."""
    return text if os.environ.get("NO_COLOR") else click.style(text, fg=colour, bold=bold)


def fold(mark: str, text: str, width: int, indent: int = 8) -> Iterator[str]:
    """Write a text beside a mark, escaped and folded at words below itself."""
    room = max(width - indent, LEAST_WIDTH)
    folded = wrap(escape(text), room, break_on_hyphens=False) or [""]
    yield f"{mark} {folded[0]}"
    yield from (" " * indent + more for more in folded[1:])


def escape(text: str) -> str:
    """Escape what a terminal would obey instead of showing."""
    return names.escape_text(text, MOST_CHARS)


def write_json(data: Any, indent: int | None = None) -> str:
    """Write data as JSON that shows all that it has: hidden characters are escaped."""
    if indent is None:
        return names.escape_json(jsontext.write(data))
    return names.escape_json(json.dumps(data, indent=indent, ensure_ascii=False))
