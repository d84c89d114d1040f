"""How the rows of a file are held until it is finished: lines, compressed ones, or columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from toolhaft.batch.columns import PARQUET, pack_columns, rows_of_lines
from toolhaft.batch.compression import compressor_for
from toolhaft.batch.row_writers import ColumnRows, LineRows, RowWriter

__all__ = ["Packing", "packing_for"]


class Packing(NamedTuple):
    """How rows are written, and packed to bytes that can be joined; `pack_lines` packs lines."""

    writer: RowWriter[Any]
    pack: Callable[[Iterable[Any]], bytes]
    pack_lines: Callable[[Iterable[str]], bytes]


def packing_for(name: str) -> Packing:
    r"""Return the packing of the rows of a file by its name.

    >>> packing_for("out.jsonl").pack(["{}\n", "[]\n"])
    b'{}\n[]\n'

    Raises:
        NeedsLibrary: The name ends in .zst, and `zstandard` is not installed.
    """
    if name.endswith(PARQUET):
        return Packing(
            ColumnRows(escapes=True), pack_columns, lambda lines: pack_columns(rows_of_lines(lines))
        )
    compress = compressor_for(name)

    def pack(lines: Iterable[str]) -> bytes:
        text = "".join(lines)
        return compress(text.encode()) if text else b""

    return Packing(LineRows(), pack, pack)
