"""Gate batches of Arrow data: the same function in every engine that has batches.

A batch is anything with `__arrow_c_stream__` or `__arrow_c_array__`: of pyarrow, Polars, DuckDB,
datasets, Spark, Dask and Ray Data.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, count
from typing import Any

from toolhaft.batch.catalogue import load_catalogue
from toolhaft.batch.column_calls import calls_of, missing_columns, wanted_columns
from toolhaft.batch.columns import arrow, gate_schema, to_batches
from toolhaft.batch.fast_gate import FastGate
from toolhaft.batch.job import Job
from toolhaft.batch.row_writers import ColumnRows
from toolhaft.batch.summary import Summary
from toolhaft.loading.source import Tools

__all__ = ["gate_batch"]


def gate_batch(batch: Any, tools: Tools, digest: str | None) -> Any:
    """Gate the calls of a batch; give a table with a row for each.

    Raises:
        ValueError: The batch has no columns of calls.
    """
    job = Job(load_catalogue(tools, digest))
    table = arrow().table(batch)
    if missing := missing_columns(table.column_names, job.fields):
        raise ValueError(f"gate: {missing}")
    calls = chain.from_iterable(calls_of(part, job.fields) for part in _batches_of(table, job))
    rows = FastGate(job, ColumnRows(escapes=False)).rows(zip(count(), calls), Summary())
    schema = gate_schema()
    return arrow().Table.from_batches(to_batches(rows, schema), schema)


def _batches_of(table: Any, job: Job) -> Iterator[Any]:
    wanted = wanted_columns(job.fields)
    chosen = table.select([name for name in table.column_names if name in wanted])
    return iter(chosen.to_batches())
