"""How the cost of a call and of a definition grows as one size doubles, beside its floor.

    python bench/growth.py [--only WORDS] [--rounds 7]

Each row has the ratio of each doubling, the median of paired rounds: 2 is linear, and of ours at
most 2.3 is asked. Where the floor grows faster, ours does too: objects that no cache holds cost
more each.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from random import Random
from statistics import median
from time import process_time_ns
from typing import Any, Final, NamedTuple

from openapi_generated import Client
from paired import Work, rounds_of, settle
from pydantic import BaseModel, TypeAdapter

from toolhaft import Toolset, from_openapi, tool

GROWTH: Final = 2.3
SLICE_NS: Final = 20_000_000


class Row(BaseModel):
    """A row."""

    id: int
    name: str
    price: float


class Rows(BaseModel):
    """Rows."""

    rows: list[Row]


class Tree(BaseModel):
    """A tree."""

    name: str
    inner: Tree | None = None


class Counts(BaseModel):
    """A map."""

    counts: dict[str, int]


class Text(BaseModel):
    """A text."""

    text: str


class Curve(NamedTuple):
    """What grows, the sizes, and the work and its floor for a size."""

    name: str
    sizes: Sequence[int]
    make: Callable[[int], tuple[Work, Work]]


def curves() -> Iterator[Curve]:
    """Every curve."""
    rows = (250, 500, 1_000, 2_000, 4_000)
    yield Curve("rows, dict", rows, lambda size: _call(Rows, _rows(size)))
    yield Curve("rows, text", rows, lambda size: _call(Rows, json.dumps(_rows(size))))
    yield Curve("rows, each wrong", rows, lambda size: _call(Rows, _rows(size, "id", "many")))
    yield Curve("rows, each repaired", rows, lambda size: _call(Rows, _rows(size, "id", "7")))
    keys = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000)
    yield Curve("keys, dict", keys, lambda size: _call(Counts, {"counts": _keys(size)}))
    yield Curve("keys, text", keys, lambda size: _call(Counts, json.dumps({"counts": _keys(size)})))
    yield Curve("depth, dict", (7, 14, 28), lambda size: _call(Tree, _nested(size)))
    yield Curve("depth, text", (7, 14, 28), lambda size: _call(Tree, json.dumps(_nested(size))))
    yield Curve("depth, wrong inside", (7, 14, 28), lambda size: _call(Tree, _nested(size, 5)))
    yield Curve("fields, first use", (25, 50, 100, 200), _breadth)
    yield Curve("fields, each wrong", (25, 50, 100, 200), _faults)
    yield Curve("tools, joined", (50, 100, 200, 400), _tools)
    yield Curve("operations, imported", (50, 100, 200, 400), _operations)
    size_of_text = (25_000, 50_000, 100_000, 200_000)
    yield Curve("bytes, dict", size_of_text, lambda size: _call(Text, {"text": "aé" * (size // 3)}))
    yield Curve("bytes, text", size_of_text, lambda size: _call(Text, _text(size)))


def _call(tp: Any, raw: Any) -> tuple[Work, Work]:
    made: Any = tool(_handle, name="run", description="Run.", input=tp)
    adapter = TypeAdapter(tp).validator
    read: Any = adapter.validate_json if isinstance(raw, str) else adapter.validate_python

    def floor() -> Any:
        try:
            return read(raw)
        except ValueError:
            return None

    return floor, lambda: made.call_sync(raw).text


def _handle(_: Any) -> Any:
    return {"done": True}


def _rows(size: int, key: str = "", value: Any = None) -> dict[str, Any]:
    row = {"id": 7, "name": "Ada", "price": 2.5, **({key: value} if key else {})}
    return {"rows": [dict(row) for _ in range(size)]}


def _keys(size: int) -> dict[str, int]:
    random = Random("keys")  # noqa: S311  no secret
    return {f"{random.getrandbits(64):x}": number for number in range(size)}


def _nested(depth: int, last: Any = "leaf") -> dict[str, Any]:
    data: dict[str, Any] = {"name": last}
    for _ in range(depth - 1):
        data = {"name": "node", "inner": data}
    return data


def _text(size: int) -> str:
    return json.dumps({"text": "aé\n" * (size // 4)}, ensure_ascii=False)


def _wide(size: int) -> dict[str, Any]:
    fields = {f"field_{number}": {"type": "integer", "minimum": 1} for number in range(size)}
    return {"type": "object", "properties": fields, "required": [*fields]}


def _breadth(size: int) -> tuple[Work, Work]:
    import jsonschema_rs

    data = {f"field_{number}": 1 for number in range(size)}

    def first_use() -> Any:
        schema = _wide(size)
        made: Any = tool(_handle, name="run", description="Run.", input=schema)
        return made.call_sync(data)

    return lambda: jsonschema_rs.Draft202012Validator(_wide(size)).is_valid(data), first_use


def _faults(size: int) -> tuple[Work, Work]:
    import jsonschema_rs

    data = {f"field_{number}": "many" for number in range(size)}
    schema = _wide(size)
    made: Any = tool(_handle, name="run", description="Run.", input=schema)
    validator = jsonschema_rs.Draft202012Validator(schema)
    return lambda: list(validator.iter_errors(data)), lambda: made.call_sync(data).text


def _tools(size: int) -> tuple[Work, Work]:
    def define() -> list[Any]:
        return [
            tool(_handle, name=f"run_{number}", description="Run.", input=_wide(4))
            for number in range(size)
        ]

    def join() -> Any:
        joined = Toolset(define())
        return [made.call_sync({}).text for made in joined]

    return define, join


def _operations(size: int) -> tuple[Work, Work]:
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Shop", "version": "1"},
        "servers": [{"url": "https://shop.example"}],
        "paths": {f"/items/{number}": {"post": _operation(number)} for number in range(size)},
        "components": {"schemas": {"Item": _wide(8)}},
    }
    return lambda: json.loads(json.dumps(document)), lambda: from_openapi(document, client=Client())


def _operation(number: int) -> dict[str, Any]:
    body = {"application/json": {"schema": {"$ref": "#/components/schemas/Item"}}}
    return {
        "operationId": f"make_{number}",
        "summary": "Make an item.",
        "requestBody": {"required": True, "content": body},
        "responses": {"200": {"description": "Made."}},
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="how costs grow")
    parser.add_argument("--only", default="", help="words of the curves' names")
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    for curve in curves():
        if given.only in curve.name:
            sys.stdout.write(f"{_line(curve, given.rounds)}\n")
            sys.stdout.flush()


def _line(curve: Curve, rounds: int) -> str:
    works = [curve.make(size) for size in curve.sizes]
    floors, ours = (_growth([pair[at] for pair in works], rounds) for at in (0, 1))
    mark = "!" if max(ours) > GROWTH else " "
    sizes = f"{curve.sizes[0]:,} to {curve.sizes[-1]:,}"
    return f"{curve.name:24} {sizes:18} {_list(ours):40}{mark} floor {_list(floors)}"


def _list(ratios: Sequence[float]) -> str:
    return " ".join(f"{ratio:5.2f}" for ratio in ratios)


def _growth(works: Sequence[Work], rounds: int) -> list[float]:
    """Return the median ratio of each work's time to that of the one before."""
    settle()
    count = max(1, SLICE_NS // _time_once(works[-1]))
    times = rounds_of(list(works), rounds=rounds, count=count)
    return [
        median(large / small for small, large in zip(*pair, strict=True))
        for pair in pairwise(times)
    ]


def _time_once(work: Work) -> int:
    work()
    start = process_time_ns()
    work()
    return max(1, process_time_ns() - start)


if __name__ == "__main__":
    main()
