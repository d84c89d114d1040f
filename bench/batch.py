"""Measure the cost of gating a row, as a share of the bare floor: read, validate and write it.

The floor is a program without toolhaft: a typed msgspec row, the library's own validation of the
arguments, a row of output by orjson. Both are measured in turn in one process, on rows that a
seeded choice takes from the recorded calls, or makes for typed tools.

    python bench/batch.py                  # shares of the floor
    python bench/batch.py --write FILE     # rows for whole runs: --rows 1000000
    TOOLHAFT_PURE=1 python bench/batch.py  # without the primitives in C
"""

from __future__ import annotations

import argparse
import gzip
import random
import statistics
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema_rs
import msgspec
import orjson
import pydantic

from toolhaft import from_json, tool
from toolhaft.batch.catalogue import Catalogue
from toolhaft.batch.fast_gate import FastGate
from toolhaft.batch.job import Job
from toolhaft.batch.row_writers import LineRows
from toolhaft.batch.summary import Summary
from toolhaft.jsonio.primitives import native

DATA = Path(__file__).parents[2] / "shared" / "data"
ROWS, ROUNDS, SEED = 10_000, 9, 1


class Row(msgspec.Struct):
    """The row of the floor: it skips what it does not know."""

    id: str
    name: str
    arguments: str
    tool_id: str | None = None


class Flat(pydantic.BaseModel):
    """Three fields."""

    city: str
    days: int = 1
    units: str = "C"


class Item(pydantic.BaseModel):
    """One of several."""

    sku: str
    count: int
    price: float
    tags: list[str]


class Nested(pydantic.BaseModel):
    """A list of objects."""

    customer: str
    note: str
    express: bool
    items: list[Item]


class FlatStruct(msgspec.Struct):
    """Three fields."""

    city: str
    days: int = 1
    units: str = "C"


class ItemStruct(msgspec.Struct):
    """One of several."""

    sku: str
    count: int
    price: float
    tags: list[str]


class NestedStruct(msgspec.Struct):
    """A list of objects."""

    customer: str
    note: str
    express: bool
    items: list[ItemStruct]


class Case(NamedTuple):
    """Rows with their tools, and how the library alone reads the arguments of a row."""

    name: str
    lines: list[bytes]
    job: Job
    read: Callable[[Row], Any]


def recorded(name: str, calls: str, rows: int) -> Case:
    """Calls of real models to the JSON Schema tools that they were meant for."""
    chosen = random.Random(SEED).choices(list(_jsonl(calls)), k=rows)  # noqa: S311
    wanted = {call["tool_id"] for call in chosen}
    declared = {row["id"]: row for row in _jsonl("tools_for_calls.jsonl.gz") if row["id"] in wanted}
    tools = {key: next(iter(from_json([row]))) for key, row in declared.items()}
    checks = {
        key: jsonschema_rs.Draft202012Validator(row["inputSchema"]) for key, row in declared.items()
    }

    def read(row: Row) -> Any:
        arguments = orjson.loads(row.arguments)
        checks[row.tool_id].validate(arguments)
        return arguments

    return Case(name, list(_lines(chosen)), Job(Catalogue(tools.values(), tools)), read)


def _lines(calls: Iterable[dict[str, Any]]) -> Iterable[bytes]:
    for number, call in enumerate(calls):
        yield orjson.dumps(
            {
                "id": f"c{number:07}",
                "tool_id": call["tool_id"],
                "name": call["called_name"],
                "arguments": call["arguments_text"],
            }
        )


def _jsonl(name: str) -> Iterable[dict[str, Any]]:
    with gzip.open(DATA / name) as lines:
        yield from map(orjson.loads, lines)


def typed(rows: int) -> list[Case]:
    """Calls made for tools of two libraries, flat and nested."""
    chance = random.Random(SEED)  # noqa: S311
    flat = [
        {"city": f"City {chance.randrange(999)}", "days": chance.randrange(14), "units": "F"}
        for _ in range(rows)
    ]
    nested = [
        {
            "customer": f"c-{chance.randrange(999)}",
            "note": "leave at the door, please",
            "express": bool(chance.getrandbits(1)),
            "items": [
                {"sku": f"s-{n}", "count": n, "price": 9.95, "tags": ["a", "b"]} for n in range(4)
            ],
        }
        for _ in range(rows)
    ]
    cases = []
    for name, tp, data in (
        ("pydantic flat", Flat, flat),
        ("pydantic nested", Nested, nested),
        ("msgspec flat", FlatStruct, flat),
        ("msgspec nested", NestedStruct, nested),
    ):
        cases.append(_typed_case(name, tp, data))
    return cases


def _typed_case(name: str, tp: Any, data: list[Any]) -> Case:
    made = tool(lambda value: value, name="take", description="Take it.", input=tp, output=None)
    lines = [
        orjson.dumps(
            {"id": f"c{n:07}", "name": "take", "arguments": msgspec.json.encode(one).decode()}
        )
        for n, one in enumerate(data)
    ]
    is_struct = issubclass(tp, msgspec.Struct)
    decode = msgspec.json.Decoder(tp).decode if is_struct else tp.model_validate_json
    dump: Callable[[Any], Any] = msgspec.to_builtins if is_struct else tp.model_dump
    return Case(name, lines, Job(Catalogue([made])), lambda row: dump(decode(row.arguments)))


def run_floor(case: Case) -> None:
    """Do what a program without any of this would do; of a wrong call, take the library's text."""
    decode, read = msgspec.json.Decoder(Row).decode, case.read
    for number, text in enumerate(case.lines, start=1):
        row = decode(text)
        arguments = fault = None
        try:
            arguments = read(row)
        except (KeyError, ValueError) as error:  # an unknown tool, or the library's own
            fault = str(error)
        orjson.dumps(
            {
                "line": number,
                "id": row.id,
                "tool": row.name,
                "kind": "accepted" if fault is None else "invalid_input",
                "arguments": arguments,
                "coercions": [],
                "issues": [],
                "text": fault,
                "value": None,
            }
        )


def run_gate(gate: FastGate[str], case: Case) -> None:
    """Gate the same rows."""
    for row in gate.rows(enumerate(case.lines, start=1), Summary()):
        row.encode()


def seconds(work: Callable[[], None]) -> float:
    """Return the CPU seconds of this process."""
    started = time.process_time()  # others may use the machine too
    work()
    return time.process_time() - started


def measure(case: Case) -> str:
    """Measure both in turn; the share is of the floor's time, so that 1 is as fast as it."""
    gate = FastGate(case.job, LineRows())
    run_gate(gate, case)
    shares, times = [], []
    for _ in range(ROUNDS):
        floor = seconds(lambda: run_floor(case))
        ours = seconds(lambda: run_gate(gate, case))
        shares.append(floor / ours)
        times.append(ours)
    middle = statistics.median(shares)
    rate = len(case.lines) / min(times)
    return f"{case.name:<18}{middle:6.2f} ({min(shares):.2f} to {max(shares):.2f}){rate:12,.0f}"


def write(path: Path, rows: int) -> None:
    """Write rows from recorded calls for whole runs."""
    calls = list(_jsonl("calls_valid.jsonl.gz"))
    chosen = random.Random(SEED).choices(range(len(calls)), k=rows)  # noqa: S311
    with path.open("wb") as file:
        for line in _lines(calls[place] for place in chosen):
            file.write(line + b"\n")


def main() -> None:
    """Print shares, or write rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--rows", type=int, default=ROWS)
    options = parser.parse_args()
    if options.write is not None:
        write(options.write, options.rows)
        return
    print(f"{'native' if native else 'pure'}: share of the floor, and rows a second")
    valid = recorded("JSON Schema", "calls_valid.jsonl.gz", options.rows)
    wrong = recorded("wrong calls", "calls_failing.jsonl.gz", 2_000)
    for case in (valid, *typed(options.rows), wrong):
        print(measure(case), flush=True)


if __name__ == "__main__":
    main()
