"""Measure the cost of gating a row of columns, as a share of the bare floor.

The floor is a program with pyarrow and without toolhaft: the columns as Python values, the own
validation of the library, a table of the results. Both run in turn in one process.

    python bench/batch_columns.py
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

import msgspec
import orjson
from batch import Case, Flat, FlatStruct, Nested, NestedStruct, seconds, typed

from toolhaft.batch import gate, output_schema
from toolhaft.batch.calls import Call
from toolhaft.batch.columns import arrow

pa = arrow()
ROWS, ROUNDS = 10_000, 7
TYPES: dict[str, Any] = {
    "pydantic flat": Flat,
    "pydantic nested": Nested,
    "msgspec flat": FlatStruct,
    "msgspec nested": NestedStruct,
}


def floor_of(tp: Any, *, is_text: bool) -> Callable[[Any], str]:
    """Return how the library alone validates arguments and writes them as text."""
    if issubclass(tp, msgspec.Struct):
        decode = (
            msgspec.json.Decoder(tp).decode if is_text else lambda data: msgspec.convert(data, tp)
        )
        return lambda raw: msgspec.json.encode(decode(raw)).decode()
    decode = tp.model_validate_json if is_text else tp.model_validate
    return lambda raw: decode(raw).model_dump_json()


def run_floor(table: Any, take: Callable[[Any], str]) -> Any:
    """Do what a program without any of this would do."""
    keys, names, raws = (table.column(name).to_pylist() for name in ("id", "name", "arguments"))
    rows = len(keys)
    nothing: list[Any] = [None] * rows
    empty: list[list[Any]] = [[]] * rows
    columns = [
        list(range(rows)), nothing, nothing, keys, names, ["accepted"] * rows,
        [take(raw) for raw in raws], empty, empty, nothing,
    ]  # fmt: skip
    return pa.table(dict(zip(output_schema().names, columns, strict=True)), output_schema())


def measure(case: Case, *, is_text: bool) -> str:
    """Measure both in turn; 1 is as fast as the floor."""
    rows = [orjson.loads(line) for line in case.lines]
    if not is_text:
        rows = [{**row, "arguments": orjson.loads(row["arguments"])} for row in rows]
    table, take = pa.Table.from_pylist(rows), floor_of(TYPES[case.name], is_text=is_text)
    tool = case.job.catalogue.find(Call(None, "take", None))
    assert tool is not None
    tools = [tool]
    shares, times = [], []
    for _ in range(ROUNDS):
        floor = seconds(lambda: run_floor(table, take))
        times.append(seconds(lambda: gate(table, tools)))
        shares.append(floor / times[-1])
    kind = "text" if is_text else "structs"
    spread = f"({min(shares):.2f} to {max(shares):.2f})"
    middle, us = statistics.median(shares), min(times) / len(rows) * 1e6
    return f"{case.name:<18}{kind:<9}{middle:6.2f} {spread}{us:8.1f} us"


def main() -> None:
    """Print shares of the floor."""
    for case in typed(ROWS):
        for is_text in (True, False):
            print(measure(case, is_text=is_text), flush=True)


if __name__ == "__main__":
    main()
