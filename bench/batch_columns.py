"""Measure the cost of gating a row of columns, as a share of the bare floor.

The floor is a program with pyarrow and without toolhaft: the columns as Python values, the own
validation of the library, a table of the results. Both run in turn in one process. Arguments are
text, or structs; "file" is the same from one Parquet file to another.

    python bench/batch_columns.py [--only 'msgspec*']
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import jsonschema_rs
import msgspec
import orjson
import pydantic
from batch import ROUNDS, Flat, FlatStruct, Nested, NestedStruct, seconds, typed

from toolhaft import tool
from toolhaft.batch import gate, output_schema
from toolhaft.batch.catalogue import Catalogue
from toolhaft.batch.columns import arrow, rows_schema, write_parquet
from toolhaft.batch.job import Job
from toolhaft.batch.pieces import cut
from toolhaft.batch.work import Worker
from toolhaft.tools.tool import AnyTool

pa, parquet = arrow(), arrow("pyarrow.parquet")
ROWS = 10_000


@dataclass
class FlatData:
    """Three fields."""

    city: str
    days: int = 1
    units: str = "C"


@dataclass
class ItemData:
    """One of several."""

    sku: str
    count: int
    price: float
    tags: list[str]


@dataclass
class NestedData:
    """A list of objects."""

    customer: str
    note: str
    express: bool
    items: list[ItemData]


TYPES: dict[str, tuple[Any, Any]] = {
    "pydantic": (Flat, Nested),
    "msgspec": (FlatStruct, NestedStruct),
    "dataclass": (FlatData, NestedData),
    "JSON Schema": (Flat.model_json_schema(), Nested.model_json_schema()),
}


class Row(NamedTuple):
    """A row of the report: calls in columns, their tools, and how the library alone takes one."""

    name: str
    table: Any
    tools: list[AnyTool]
    take: Callable[[Any], str]


def rows() -> Iterator[Row]:
    """Yield the rows of every library."""
    cases = typed(ROWS)
    for library, types in TYPES.items():
        for case, shape, tp in zip(cases, ("flat", "nested"), types, strict=False):
            made = tool(lambda a: a, name="take", description="Take it.", input=tp, output=None)
            calls = [orjson.loads(line) for line in case.lines]
            data = [{**call, "arguments": orjson.loads(call["arguments"])} for call in calls]
            for kind, columns in (("text", calls), ("structs", data)):
                take = floor_of(tp, is_text=kind == "text")
                table = pa.Table.from_pylist(columns)
                yield Row(f"{library} {shape}, {kind}", table, [made], take)


def floor_of(tp: Any, *, is_text: bool) -> Callable[[Any], str]:
    """Return how the library alone validates arguments and writes them as text."""
    if isinstance(tp, dict):
        valid = jsonschema_rs.Draft202012Validator(tp).is_valid
        return partial(_take_text if is_text else _take_data, valid)
    decode: Callable[[Any], Any]
    if isinstance(tp, type) and issubclass(tp, msgspec.Struct):
        decode = (
            msgspec.json.Decoder(tp).decode if is_text else lambda data: msgspec.convert(data, tp)
        )
        return lambda raw: msgspec.json.encode(decode(raw)).decode()
    if issubclass(tp, pydantic.BaseModel):
        decode = tp.model_validate_json if is_text else tp.model_validate
        return lambda raw: decode(raw).model_dump_json()
    adapter = pydantic.TypeAdapter(tp)
    decode = adapter.validate_json if is_text else adapter.validate_python
    return lambda raw: adapter.dump_json(decode(raw)).decode()


def _take_text(valid: Callable[[Any], bool], raw: str) -> str:
    assert valid(orjson.loads(raw))
    return raw


def _take_data(valid: Callable[[Any], bool], raw: Any) -> str:
    assert valid(raw)
    return orjson.dumps(raw).decode()


def run_floor(table: Any, take: Callable[[Any], str], schema: Any) -> Any:
    """Do what a program without any of this would do."""
    keys, names, raws = (table.column(name).to_pylist() for name in ("id", "name", "arguments"))
    rows = len(keys)
    nothing: list[Any] = [None] * rows
    empty: list[list[Any]] = [[]] * rows
    columns = [
        list(range(rows)), nothing, nothing, keys, names, ["accepted"] * rows,
        [take(raw) for raw in raws], empty, empty, *[nothing] * (len(schema.names) - 9),
    ]  # fmt: skip
    return pa.table(dict(zip(schema.names, columns, strict=True)), schema)


def floor_file(source: Path, take: Callable[[Any], str]) -> None:
    """Do the same from a file to a file."""
    table = run_floor(parquet.read_table(source, use_threads=False), take, rows_schema())
    parquet.write_table(table, source.with_name("floor.parquet"))


def gate_file(source: Path, worker: Worker) -> None:
    """Gate a file, piece by piece, as `toolhaft batch` does."""
    packed = source.with_name("packed")
    with packed.open("wb") as file:
        for piece in cut(str(source)):
            file.write(worker.rows(piece).rows or b"")
    write_parquet(packed, source.with_name("out.parquet"))


def measure(name: str, floor: Callable[[], Any], ours: Callable[[], Any]) -> str:
    """Measure both in turn; 1 is as fast as the floor."""
    ours()
    shares, times = [], []
    for _ in range(ROUNDS):
        taken = seconds(floor)
        times.append(seconds(ours))
        shares.append(taken / times[-1])
    spread = f"({min(shares):.2f} to {max(shares):.2f})"
    middle, us = statistics.median(shares), min(times) / ROWS * 1e6
    return f"{name:<30}{middle:6.2f} {spread:<16}{us:6.1f} us"


def main() -> None:
    """Print shares of the floor."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="*")
    only = parser.parse_args().only
    with TemporaryDirectory() as folder:
        source = Path(folder) / "calls.parquet"
        for name, table, tools, take in rows():
            if fnmatch(name, only):
                floor = partial(run_floor, table, take, output_schema())
                print(measure(name, floor, partial(gate, table, tools)), flush=True)
            if fnmatch(f"{name}, file", only):
                parquet.write_table(table, source)
                worker = Worker(Job(Catalogue(tools)), "out.parquet")
                floor = partial(floor_file, source, take)
                print(measure(f"{name}, file", floor, partial(gate_file, source, worker)))


if __name__ == "__main__":
    main()
