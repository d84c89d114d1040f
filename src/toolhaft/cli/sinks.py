"""Output of a batch while it runs: a table, progress, a log."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from time import monotonic
from typing import TypeAlias, TypeVar

import click

from toolhaft.batch.output import Output
from toolhaft.batch.record import Record
from toolhaft.cli.terminal import write_json
from toolhaft.cli.unusable import Unusable
from toolhaft.loading.faults import one_line

__all__ = ["Sink", "log_failures", "report_progress", "show_progress", "track"]

T = TypeVar("T")

SECONDS_A_LINE = 2

Sink: TypeAlias = Callable[[Record], None]


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


@contextmanager
def log_failures(path: str | None) -> Generator[None]:
    """Keep what tools log of their failures in a file; without one it is dropped.

    Raises:
        Unusable: The file cannot be written.
    """
    import logging

    logger = logging.getLogger("toolhaft")
    try:
        handler = logging.FileHandler(path, encoding="utf-8") if path else logging.NullHandler()
    except OSError as error:
        raise Unusable(f"{path}: cannot be written: {one_line(str(error))}") from None
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        handler.close()
