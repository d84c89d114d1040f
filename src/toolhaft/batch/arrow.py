"""Gate batches of Arrow data: the same function in every engine that has batches.

A batch is anything with `__arrow_c_stream__` or `__arrow_c_array__`: of pyarrow, Polars, DuckDB,
datasets, Spark, Dask and Ray Data. Arguments stay text: a column of structs would have the fields
of all tools in each row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from toolhaft.batch.calls import FIELDS, read_calls
from toolhaft.batch.catalogue import load_catalogue
from toolhaft.batch.job import Job
from toolhaft.batch.parquet import arrow, gate_schema
from toolhaft.batch.record import Record
from toolhaft.loading.source import Tools

__all__ = ["gate_batch"]

# The columns of calls as clients deliver them, beside the fields of plain rows.
SHAPE_COLUMNS = ("type", "method", "params", "function", "input", "messages")
ROWS_AT_ONCE = 4096


def gate_batch(batch: Any, tools: Tools, digest: str | None) -> Any:
    """Gate the calls of a batch; give a table with a row for each.

    Raises:
        ValueError: The batch has no columns of calls.
    """
    pa = arrow()
    table = pa.table(batch)
    _require_columns(table.column_names)
    job = Job(load_catalogue(tools, digest))
    return pa.table(_to_columns(_records(job, table)), schema=gate_schema())


def _require_columns(names: Sequence[str]) -> None:
    """Require the columns of calls: without them, every row would count as invalid."""
    if not set(SHAPE_COLUMNS).isdisjoint(names):
        return
    needed = {"name": (*FIELDS.name, *FIELDS.tool_id), "arguments": FIELDS.arguments}
    missing = [field for field, columns in needed.items() if set(columns).isdisjoint(names)]
    if missing:
        raise ValueError(
            f"gate: no column {' and no column '.join(missing)}; the columns are "
            f"{', '.join(names) or 'none'}: name and arguments are needed, or messages"
        )


def _records(job: Job, table: Any) -> Iterator[tuple[int, Record]]:
    """Yield the number of each row, and the records of its calls."""
    for number, row in enumerate(_rows(table)):
        for place, call in read_calls(row, job.fields):
            record, _ = job.gate(number, call, place)
            yield number, record


def _rows(table: Any) -> Iterator[dict[str, Any]]:
    wanted = {*SHAPE_COLUMNS, *(name for names in FIELDS for name in names)}
    table = table.select([name for name in table.column_names if name in wanted])
    for batch in table.to_batches(ROWS_AT_ONCE):
        columns = {name: batch.column(name).to_pylist() for name in batch.schema.names}
        names = list(columns)
        for values in zip(*columns.values(), strict=True):
            yield dict(zip(names, values, strict=True))


def _to_columns(records: Iterable[tuple[int, Record]]) -> Mapping[str, list[Any]]:
    """Return the columns of the output schema."""
    columns: dict[str, list[Any]] = {name: [] for name in gate_schema().names}
    add = [column.append for column in columns.values()]
    for number, record in records:
        call, place = record.call, record.place
        values = (
            number,
            place.message if place else None,
            place.call if place else None,
            None if call is None or call.id is None else str(call.id),
            call.name if call else None,
            record.kind,
            record.arguments_text,
            record.written_coercions,
            record.written_issues,
            record.text,
        )
        for append, value in zip(add, values, strict=True):
            append(value)
    return columns
