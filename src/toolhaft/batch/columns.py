"""Rows of calls as Arrow columns: in tables, in messages of a journal, in Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from toolhaft.batch.compression import NeedsLibrary
from toolhaft.batch.row_writers import ColumnRow

__all__ = [
    "PARQUET",
    "accepted_batch",
    "arrow",
    "gate_schema",
    "pack_batches",
    "pack_columns",
    "rows_of_lines",
    "rows_schema",
    "text_of",
    "to_batches",
    "write_parquet",
]

PARQUET = ".parquet"
ROWS_AT_ONCE = 4096
ROWS_A_GROUP = 1 << 16
JSON_COLUMNS = ("arguments", "value")
T = TypeVar("T")

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


def rows_schema() -> Any:
    """Return the `pyarrow.Schema` of a file of rows: `line` for `row`, and the results of calls."""
    pa = arrow()
    fields = [field.with_name("line") if field.name == "row" else field for field in gate_schema()]
    return pa.schema([*fields, ("value", pa.string()), ("effect", pa.string())])


def to_batches(rows: Iterable[ColumnRow], schema: Any) -> Iterator[Any]:
    """Yield rows as record batches; a schema with fewer columns has the first ones."""
    pa, rows = arrow(), iter(rows)
    while some := list(islice(rows, ROWS_AT_ONCE)):
        columns = zip(schema.types, zip(*some, strict=True), strict=False)
        arrays = [pa.array(values, column) for column, values in columns]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def accepted_batch(number: int, ids: Any, names: Any, arguments: Any, schema: Any) -> Any:
    """Return the rows of calls that passed as they were sent, the first of which has a number."""
    pa, rows = arrow(), len(names)
    numbers = arrow("pyarrow.compute").cumulative_sum(
        pa.repeat(pa.scalar(1, pa.int64()), rows), start=number - 1
    )
    kinds = pa.repeat("accepted", rows)
    none = [_empty_lists(rows, schema.field(name).type) for name in ("coercions", "issues")]
    nulls = [pa.nulls(rows, kind) for kind in schema.types]
    columns = [numbers, *nulls[1:3], ids, names, kinds, arguments, *none, *nulls[9:]]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _empty_lists(rows: int, kind: Any) -> Any:
    pa = arrow()
    ends = pa.repeat(pa.scalar(0, pa.int32()), rows + 1)
    return pa.ListArray.from_arrays(ends, pa.array([], kind.value_type), type=kind)


def text_of(column: Any, *, numbers: bool) -> Any:
    """Return a column as one of text, or None where that is not what its values are.

    Text keeps its memory. `numbers` takes integers too.
    """
    pa = arrow()
    kind = column.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    # Not in a set: types of other authors need not have a hash.
    is_text = kind in [pa.string(), pa.large_string(), pa.string_view(), pa.null()]
    if not is_text and not (numbers and pa.types.is_integer(kind)):
        return None
    try:
        column.validate(full=True)  # or bytes that are not UTF-8 went on
        return column.cast(pa.string())
    except pa.ArrowException:
        return None


def pack_columns(rows: Iterable[ColumnRow]) -> bytes:
    """Pack rows as messages of Arrow's IPC format, which can be joined."""
    return pack_batches(to_batches(rows, rows_schema()))


def pack_batches(batches: Iterable[Any]) -> bytes:
    """Pack record batches of rows in the same way."""
    return b"".join(batch.serialize() for batch in batches)


def write_parquet(source: Path, target: Path) -> None:
    """Write a file of packed rows as Parquet."""
    schema = rows_schema()
    with (
        arrow().OSFile(str(source)) as packed,
        arrow("pyarrow.parquet").ParquetWriter(target, schema) as writer,
    ):
        for table in _groups(_unpack(packed, schema), schema):
            writer.write_table(table, ROWS_A_GROUP)


def _unpack(packed: Any, schema: Any) -> Iterator[Any]:
    ipc = arrow("pyarrow.ipc")
    while packed.tell() < packed.size():
        yield ipc.read_record_batch(ipc.read_message(packed), schema)


def _groups(batches: Iterator[Any], schema: Any) -> Iterator[Any]:
    """Join batches to tables of about a row group."""
    held: list[Any] = []
    for batch in batches:
        held.append(batch)
        if sum(batch.num_rows for batch in held) >= ROWS_A_GROUP:
            yield arrow().Table.from_batches(held, schema)
            held.clear()
    if held:
        yield arrow().Table.from_batches(held, schema)


def rows_of_lines(lines: Iterable[str]) -> Iterator[ColumnRow]:
    """Yield the rows that lines of JSON stand for; columns of JSON data keep their text.

    >>> [row] = rows_of_lines(['{"line":1,"id":7,"arguments":{"n": 1.50},"value":null}'])
    >>> row
    (1, None, None, '7', None, None, '{"n": 1.50}', None, None, None, None, None)
    """
    names = rows_schema().names
    for line in lines:
        row = dict(_columns(line))
        yield tuple(row.get(name) for name in names)


def _columns(row: str) -> Iterator[tuple[str, Any]]:
    """Yield the columns of a line."""
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
