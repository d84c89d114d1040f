"""Rows of Parquet files, by pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolhaft.batch.compression import NeedsLibrary

__all__ = ["arrow", "count_rows", "read_group"]

ROWS_AT_ONCE = 4096


def arrow(name: str = "pyarrow") -> Any:
    """Give a module of pyarrow.

    Raises:
        NeedsLibrary: It is not installed.
    """
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError:
        raise NeedsLibrary("install pyarrow, or toolhaft[batch]") from None


def count_rows(path: str) -> Iterator[tuple[int, int]]:
    """Give the rows of each row group, and where in the file it ends."""
    with arrow("pyarrow.parquet").ParquetFile(path) as file:
        metadata = file.metadata
        end = 0
        for group in range(metadata.num_row_groups):
            end += metadata.row_group(group).total_byte_size
            yield metadata.row_group(group).num_rows, end


def read_group(path: str, group: int) -> Iterator[dict[str, Any]]:
    """Give the rows of a row group, a few at a time; what is null is left out."""
    with arrow("pyarrow.parquet").ParquetFile(path) as file:
        for batch in file.iter_batches(ROWS_AT_ONCE, row_groups=[group]):
            yield from batch.to_pylist()
