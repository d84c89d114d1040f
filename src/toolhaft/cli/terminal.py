"""The common parts of terminal screens: their width, colours, folded lines and progress."""

from __future__ import annotations

import json
import os
import shutil
import sys
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from textwrap import wrap
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, TextIO, TypeVar

import click

from toolhaft.definition import names
from toolhaft.jsonio import jsontext

if TYPE_CHECKING:
    from toolhaft.batch.output import Output

__all__ = [
    "draws",
    "escape",
    "fold",
    "report_progress",
    "screen_width",
    "show_progress",
    "style",
    "track",
    "warnings_as_lines",
    "write_json",
]

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


T = TypeVar("T")

SECONDS_A_LINE = 2


def track(items: Sequence[T], *, label: str) -> Iterator[T]:
    """Yield items; on a terminal, show a progress bar after two seconds."""
    started, bar = monotonic(), None
    with ExitStack() as stack:
        for number, item in enumerate(items):
            if bar is None and sys.stderr.isatty() and monotonic() - started > SECONDS_A_LINE:
                bar = stack.enter_context(
                    click.progressbar(length=len(items), label=label, file=sys.stderr)
                )
            yield item
            if bar is not None:
                bar.update(number + 1 - bar.pos)


@contextmanager
def show_progress(size: int) -> Generator[Callable[[int], None]]:
    """Show on standard error how much of so many bytes has been read, and how long it will take."""
    with click.progressbar(length=size, file=sys.stderr, show_pos=False) as bar:
        yield lambda done: bar.update(max(0, min(done, size) - bar.pos))
        bar.update(size - bar.pos)


def report_progress(size: int, output: Output) -> Callable[[int], None]:
    """Write, every few seconds, a line of JSON on standard error that says how far the run is."""
    started = last = monotonic()

    def report(done: int) -> None:
        nonlocal last
        now = monotonic()
        if now - last < SECONDS_A_LINE:
            return
        last = now
        rows, seconds = output.summary.rows, now - started
        progress = {
            "rows": rows,
            "share": round(done / max(size, 1), 4),
            "rows_per_second": round(rows / seconds),
            "seconds_left": round(seconds * (size / max(done, 1) - 1)),
        }
        click.echo(write_json({"progress": progress}), err=True)

    return report
