"""Where the records of a batch go: a file, standard output, a table, a progress bar."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO, TypeAlias

import click

from toolhaft.batch.output import open_output, row_writer
from toolhaft.batch.record import Record
from toolhaft.cli.reading import Reading
from toolhaft.cli.unusable import Unusable, one_line

__all__ = ["Sink", "draw_table", "log_failures", "save_rows", "show_progress"]

Sink: TypeAlias = Callable[[Record], None]

ROWS_A_TICK = 64


@contextmanager
def save_rows(output: str, calls: str, out: TextIO) -> Generator[Sink]:
    """Write each record as a row, to a file or, for `-`, to standard output.

    Raises:
        Unusable: The file cannot be written, or is the one that is read.
    """
    if output == "-":
        yield row_writer(out.buffer)
        return
    path = Path(output)
    if calls != "-" and path.resolve() == Path(calls).resolve():
        raise Unusable(f"{output}: is the file of calls; write to another one")
    try:
        with open_output(path) as stream:
            yield row_writer(stream)
    except OSError as error:
        raise Unusable(f"{output}: cannot be written: {one_line(str(error))}") from None


@contextmanager
def draw_table(out: TextIO) -> Generator[Sink]:
    """Draw each record as a row of a table."""
    from toolhaft.cli.drawing import Drawing

    drawing = Drawing(out)
    yield drawing.add
    drawing.draw()


@contextmanager
def show_progress(reading: Reading) -> Generator[Sink]:
    """Show on standard error how much of the file has been read."""
    size = reading.size or 0
    with click.progressbar(length=size, file=sys.stderr) as bar:

        def tick(record: Record) -> None:
            if record.line % ROWS_A_TICK == 0:
                bar.update(reading.position - bar.pos)

        yield tick
        bar.update(size - bar.pos)


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
