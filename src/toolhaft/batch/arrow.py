"""Gate batches of Arrow data: the same function in every engine that has batches.

A batch is anything with `__arrow_c_stream__` or `__arrow_c_array__`: of pyarrow, Polars, DuckDB,
datasets, Spark, Dask and Ray Data. Arguments stay text: a column of structs would have the fields
of all tools in each row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from toolhaft.batch.calls import FIELDS, Call, Fields, NotACall, Place, read_calls
from toolhaft.batch.fast_gate import FastGate
from toolhaft.batch.job import Job
from toolhaft.batch.loading import Tools, load_catalogue
from toolhaft.batch.parquet import arrow, output_schema
from toolhaft.batch.record import Record
from toolhaft.jsonio import jsontext

__all__ = ["gate", "gates", "to_columns"]


def gate(batch: Any, tools: Tools, *, digest: str | None = None, fields: Fields = FIELDS) -> Any:
    """Validate and repair the calls of a batch; give a `pyarrow.Table` with a row for each.

    The columns are `name`, `arguments` (text), and where there are any `id` and `tool_id`; or
    `messages`, of which each call is one row. `tools` is best the place of tools, which each
    process loads once: `package.module:name`, `path.py:name` or a file of declarations. With
    `digest`, of `tools_digest`, other tools than those are refused.

    >>> import pyarrow as pa
    >>> from toolhaft import tool
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> calls = pa.table({"name": ["double", "double"], "arguments": ['{"n": "4"}', "{}"]})
    >>> gate(calls, [double]).select(["kind", "arguments"]).to_pylist()
    [{'kind': 'accepted', 'arguments': '{"n":4}'}, {'kind': 'invalid_input', 'arguments': None}]
    """
    pa = arrow()
    gates_calls = FastGate(Job(load_catalogue(tools, digest), fields))
    columns = to_columns(_records(gates_calls, pa.table(batch), fields))
    return pa.table(columns, schema=output_schema())


def gates(
    batches: Iterable[Any], tools: Tools, *, digest: str | None = None, fields: Fields = FIELDS
) -> Iterator[Any]:
    """Do as `gate` does with each of many batches; gives `pyarrow.RecordBatch`es."""
    for batch in batches:
        yield from gate(batch, tools, digest=digest, fields=fields).to_batches()


def _records(gate: FastGate, table: Any, fields: Fields) -> Iterator[tuple[int, Record]]:
    """Give the number of each row, and the records of its calls."""
    for number, row in enumerate(_rows(table, fields)):
        for place, call in read_calls(row, fields):
            yield number, _record(gate, call, place)


def _record(gate: FastGate, call: Call | NotACall, place: Place | None) -> Record:
    accepted = gate.accept(call) if isinstance(call, Call) else None
    if accepted is None or isinstance(call, NotACall):
        return gate.job.record(0, call, place)
    return Record(0, call, "accepted", spelling=accepted, place=place)


def _rows(table: Any, fields: Fields) -> Iterator[dict[str, Any]]:
    wanted = {*SHAPE_COLUMNS, *(name for names in fields for name in names)}
    table = table.select([name for name in table.column_names if name in wanted])
    for batch in table.to_batches(4096):
        columns = {name: batch.column(name).to_pylist() for name in batch.schema.names}
        names = list(columns)
        for values in zip(*columns.values(), strict=True):
            yield dict(zip(names, values, strict=True))


# The columns of calls as clients deliver them, beside the fields of plain rows.
SHAPE_COLUMNS = ("type", "method", "params", "function", "input", "messages")


def to_columns(records: Iterable[tuple[int, Record]]) -> Mapping[str, list[Any]]:
    """Give the columns of the output schema."""
    columns: dict[str, list[Any]] = {name: [] for name in output_schema().names}
    add = [column.append for column in columns.values()]
    for number, record in records:
        call, place = record.call, record.place
        row = record.row() if record.issues or record.coercions else EMPTY
        values = (
            number,
            place.message if place else None,
            place.call if place else None,
            None if call is None or call.id is None else str(call.id),
            call.name if call else None,
            record.kind,
            _arguments(record),
            row["coercions"],
            row["issues"],
            record.text,
        )
        for append, value in zip(add, values, strict=True):
            append(value)
    return columns


EMPTY: dict[str, list[Any]] = {"coercions": [], "issues": []}


def _arguments(record: Record) -> str | None:
    if record.spelling is not None:
        return record.spelling
    return None if record.arguments is None else jsontext.write(record.arguments)
