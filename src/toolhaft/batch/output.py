"""Write rows to a file that appears whole or not at all."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from toolhaft.batch.record import Record
from toolhaft.definition import names
from toolhaft.jsonio import jsontext

__all__ = ["open_output", "row_writer"]


@contextmanager
def open_output(path: Path) -> Generator[BinaryIO]:
    """Open a file for writing, compressed where its name ends in .gz.

    It is written beside its place and moved there at the end; when an exception ends the block,
    what was there before stays. A device or a pipe is written as it is. The same rows give the
    same bytes.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        with path.open("wb") as special:
            yield special
        return
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with temporary.open("wb") as plain:
            if path.suffix == ".gz":
                with gzip.GzipFile("", "wb", fileobj=plain, mtime=0) as packed:
                    yield packed  # type: ignore[misc]  # it writes as a BinaryIO does
            else:
                yield plain
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def row_writer(stream: BinaryIO) -> Callable[[Record], None]:
    """Give a function that writes a record as one line of JSON."""

    def write(record: Record) -> None:
        stream.write(f"{names.escape_json(jsontext.write(record.row()))}\n".encode())

    return write
