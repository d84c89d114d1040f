"""Rows of Parquet files, by pyarrow."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from toolhaft.batch.calls import NotACall
from toolhaft.batch.compression import NeedsLibrary, Unreadable

__all__ = [
    "PARQUET",
    "arrow",
    "count_rows",
    "gate_schema",
    "read_batches",
    "read_group",
    "write_rows",
]

PARQUET = ".parquet"
ROWS_AT_ONCE = 4096
ROWS_A_GROUP = 1 << 16
JSON_COLUMNS = ("arguments", "value")

_scan = json.JSONDecoder().raw_decode


def arrow(name: str = "pyarrow") -> Any:
    """Return a module of pyarrow.

    Raises:
        NeedsLibrary: It is not installed.
    """
    try:
        return import_module(name)
    except ImportError:
        raise NeedsLibrary("pyarrow is not installed: pip install 'toolhaft[batch]'") from None


def gate_schema() -> Any:
    """Return the `pyarrow.Schema` of the table that `gate` returns."""
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


def _row_schema() -> Any:
    """Return the `pyarrow.Schema` of a file of rows: `line` for `row`, and the results of calls."""
    pa = arrow()
    fields = [field.with_name("line") if field.name == "row" else field for field in gate_schema()]
    return pa.schema([*fields, ("value", pa.string()), ("effect", pa.string())])


def write_rows(source: Path, target: Path) -> None:
    """Write a file of rows, one JSON object a line, as Parquet; arguments and values as text."""
    pa, schema = arrow(), _row_schema()
    with (
        arrow("pyarrow.parquet").ParquetWriter(target, schema) as writer,
        source.open(encoding="utf-8") as lines,
    ):
        while rows := [dict(_columns(line)) for line in islice(lines, ROWS_A_GROUP)]:
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))


def _columns(row: str) -> Iterator[tuple[str, Any]]:
    """Yield the columns of a row; columns of JSON data keep their text.

    >>> dict(_columns('{"line":1,"id":7,"arguments":{"n": 1.50},"value":null}'))
    {'line': 1, 'id': '7', 'arguments': '{"n": 1.50}', 'value': None}
    """
    end = 0
    while row[end] != "}":  # `end` is at the brace or the comma before a member
        start = row.index(":", end) + 1
        name = row[end + 2 : start - 2]
        value, end = _scan(row, start)
        if value is not None and name in JSON_COLUMNS:
            value = row[start:end]
        elif value is not None and name == "id":
            value = str(value)
        yield name, value


@contextmanager
def _opened(path: str) -> Generator[Any]:
    """Open a file to read.

    Raises:
        Unreadable: It is damaged, or cannot be read.
    """
    try:
        with arrow("pyarrow.parquet").ParquetFile(path) as file:
            yield file
    except (OSError, arrow().ArrowException) as error:
        raise Unreadable(f"{path}: cannot be read: {error}") from None


def count_rows(path: str) -> Iterator[tuple[int, int]]:
    """Yield the number of rows of each row group, and its end in the file, in bytes."""
    with _opened(path) as file:
        metadata = file.metadata
        end = 0
        for group in range(metadata.num_row_groups):
            end += metadata.row_group(group).total_byte_size
            yield metadata.row_group(group).num_rows, end


def read_batches(path: str, groups: list[int] | None = None) -> Iterator[Any]:
    """Yield a few rows at a time, of some row groups or of all."""
    with _opened(path) as file:
        yield from file.iter_batches(ROWS_AT_ONCE, row_groups=groups)


def read_group(path: str, group: int) -> Iterator[dict[str, Any] | NotACall]:
    """Yield the rows of a row group, or the reason for a row that cannot be read."""
    for batch in read_batches(path, [group]):
        try:
            rows = batch.to_pylist()
        except UnicodeDecodeError:
            rows = [_read_row(batch.slice(place, 1)) for place in range(batch.num_rows)]
        yield from rows


def _read_row(batch: Any) -> dict[str, Any] | NotACall:
    try:
        row: dict[str, Any] = batch.to_pylist()[0]
    except UnicodeDecodeError:
        return NotACall("not UTF-8")
    return row
