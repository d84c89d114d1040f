"""Rows of Parquet files, by pyarrow."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from toolhaft.batch.compression import NeedsLibrary
from toolhaft.jsonio import jsontext

__all__ = [
    "PARQUET",
    "arrow",
    "count_rows",
    "gate_schema",
    "read_group",
    "row_schema",
    "write_rows",
]

PARQUET = ".parquet"
ROWS_AT_ONCE = 4096
ROWS_A_GROUP = 1 << 16
JSON_COLUMNS = ("arguments", "value")


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


def gate_schema() -> Any:
    """Give the `pyarrow.Schema` of what comes of a batch."""
    pa = arrow()
    text = pa.string()
    coercion = pa.struct([("path", text), ("rule", text)])
    members = ("path", "code", "message", "expected", "received")
    issue = pa.struct([(name, text) for name in members])
    return pa.schema(
        [
            ("row", pa.int64()),
            ("message", pa.int32()),
            ("index", pa.int32()),
            ("id", text),
            ("tool", text),
            ("kind", text),
            ("arguments", text),
            ("coercions", pa.list_(coercion)),
            ("issues", pa.list_(issue)),
            ("text", text),
        ]
    )


def row_schema() -> Any:
    """Give the `pyarrow.Schema` of a file of rows: `line` for `row`, and what calls gave."""
    pa = arrow()
    fields = [field.with_name("line") if field.name == "row" else field for field in gate_schema()]
    return pa.schema([*fields, ("value", pa.string()), ("effect", pa.string())])


def write_rows(source: Path, target: Path) -> None:
    """Write a file of rows, one JSON object a line, as Parquet; arguments and values as text."""
    pa, schema = arrow(), row_schema()
    with arrow("pyarrow.parquet").ParquetWriter(target, schema) as writer, source.open() as lines:
        while rows := [_to_texts(json.loads(line)) for line in islice(lines, ROWS_A_GROUP)]:
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))


def _to_texts(row: dict[str, Any]) -> dict[str, Any]:
    texts = {key: None if row[key] is None else jsontext.write(row[key]) for key in JSON_COLUMNS}
    return {**row, **texts, "id": None if row["id"] is None else str(row["id"])}


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
