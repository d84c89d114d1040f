"""Gate batches of Arrow data: the same function in every engine that has batches.

A batch is anything with `__arrow_c_stream__` or `__arrow_c_array__`: of pyarrow, Polars, DuckDB,
datasets, Spark, Dask and Ray Data.
"""

from __future__ import annotations

from typing import Any

from toolhaft.batch.catalogue import load_catalogue
from toolhaft.batch.column_calls import missing_columns, wanted_columns
from toolhaft.batch.column_gate import ColumnGate
from toolhaft.batch.columns import arrow, gate_schema
from toolhaft.batch.job import Job
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
    wanted, schema = wanted_columns(job.fields), gate_schema()
    chosen = table.select([name for name in table.column_names if name in wanted])
    rows = ColumnGate(job, schema, escapes=False).rows(chosen.to_batches(), 0, Summary())
    return arrow().Table.from_batches(rows, schema)
