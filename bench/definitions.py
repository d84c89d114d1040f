"""The costs of defining a tool, joining it to a toolset and its first call, with their limits.

Types and schemas are made anew for each measurement, because joined ones are cached.
"""

from __future__ import annotations

import gzip
import inspect
import json
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import count
from pathlib import Path
from random import Random
from statistics import median, quantiles
from time import process_time_ns
from typing import Annotated, Any, Final

import jsonschema_rs
from floors import FLOORS, Floor
from generated import Drawn, draw
from paired import Ratio, paired, settle
from pydantic import Field
from rows import Measured, Row

from toolhaft import Toolset, from_json, tool

__all__ = ["definition_rows"]

DATA: Final = Path(__file__).parents[2] / "shared" / "data"
CHUNKS, TURN, WARM, FEWEST_TYPES = 20, 10, 50, 10
ALLOWED_US: Final = 500.0
NUMBERS: Final = count()


def weather(city: str, days: Annotated[int, Field(ge=1)] = 3, units: str = "C") -> dict[str, Any]:
    """The weather of a city."""
    return {}


def definition_rows(seed: str) -> Iterator[Row]:
    """Define, join and call: functions, recorded raw tools, and drawn types of each library."""
    yield Row("definition", "define, to inspect.signature", _define)
    for name, work in RAW.items():
        if DATA.is_dir():
            yield Row("definition", f"raw tools, {name}", partial(_raw, work))
    for name, floor in FLOORS.items():
        if name != "json schema":
            measure = partial(_vendor, name, floor, seed)
            yield Row("definition", f"{name} type, first use less 0.5 ms to its schema", measure)


def _handle(_: Any) -> Any:
    return {}


def _call(_: str, __: Any) -> Any:
    return {}


def _define(rounds: int) -> Measured:
    """Hold `tool()` of a function against reading its signature."""
    floor, work = partial(inspect.signature, weather), lambda: tool(weather)
    return Measured(paired(floor, work, rounds=rounds, count=100))


def _bare(row: Any) -> Callable[[], object]:
    """Compile, as the floor of all that is done with a raw tool."""
    return partial(jsonschema_rs.Draft202012Validator, _schema(row))


def _made(row: Any) -> Any:
    return tool(_handle, name="run", description="Run.", input=_schema(row))


def _only_made(row: Any) -> Callable[[], object]:
    schema = _schema(row)
    return lambda: tool(_handle, name="run", description="Run.", input=schema)


def _joined_and_called(row: Any) -> Callable[[], object]:
    made, text = _made(row), row["text"]
    return lambda: Toolset([made]).call_sync("run", text)


def _read_and_called(row: Any) -> Callable[[], object]:
    declared: dict[str, Any] = {**row["declared"], "inputSchema": _schema(row)}
    name, text = declared["name"], row["text"]
    return lambda: from_json([declared], call=_call).call_sync(name, text)


RAW: Final[dict[str, Callable[[Any], Callable[[], object]]]] = {
    "tool() to their bare compile": _only_made,
    "join and first call to their bare compile": _joined_and_called,
    "from_json, join and first call to their bare compile": _read_and_called,
}


def _schema(row: Any) -> dict[str, Any]:
    """A schema that nothing has seen: read anew, with a comment of its own."""
    schema: dict[str, Any] = json.loads(row["schema"])
    return {**schema, "$comment": f"number {next(NUMBERS)}"}


@cache
def _recorded() -> list[dict[str, Any]]:
    """The recorded tools, each with the arguments of a recorded call; right ones, if there are."""
    texts: dict[str, str] = {}
    for name in ("calls_valid", "calls_failing"):
        for call in _lines(name):
            if call.get("tool_id"):
                texts.setdefault(call["tool_id"], call["arguments_text"])
    return [
        {
            "declared": {key: row[key] for key in ("name", "description")},
            "schema": json.dumps(row["inputSchema"]),
            "text": texts.get(row["id"], "{}"),
        }
        for row in _lines("tools_for_calls")
    ]


def _lines(name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _raw(make: Callable[[Any], Callable[[], object]], rounds: int) -> Measured:
    """All the recorded tools, or every so many in few rounds: the sum of ours to that of theirs."""
    _timed([make(row) for row in _recorded()[:WARM]])  # what is imported at first use
    chunks = [_recorded()[part::CHUNKS] for part in range(min(CHUNKS, rounds))]
    times = [_chunk(make, rows) for rows in chunks]
    ratios = [mine / least for least, mine in times]
    low, _, high = quantiles(ratios, n=4)
    below, above = map(sum, zip(*times, strict=True))
    floor_us = below / sum(map(len, chunks)) / 1000
    return Measured(Ratio(above / below, low, high, floor_us, max(ratios)))


def _chunk(make: Callable[[Any], Callable[[], object]], rows: list[Any]) -> tuple[int, int]:
    """Return the costs of some tools, measured a few of theirs and a few of ours in turn."""
    settle()
    below = above = 0
    for start in range(0, len(rows), TURN):
        some = rows[start : start + TURN]
        theirs, ours = [_bare(row) for row in some], [make(row) for row in some]
        below += _timed(theirs)
        above += _timed(ours)
    return below, above


def _timed(pieces: list[Callable[[], object]]) -> int:
    start = process_time_ns()
    for piece in pieces:
        piece()
    return process_time_ns() - start


def _vendor(form: str, floor: Floor, seed: str, rounds: int) -> Measured:
    """Tool, join and first call of fresh types, less 0.5 ms, to the library's own emission."""
    settle()
    figures = [
        _first_use(form, floor, f"{seed}/{number}") for number in range(FEWEST_TYPES + rounds)
    ]
    ratios = sorted((ours - ALLOWED_US) / theirs for theirs, ours in figures[1:])
    low, middle, high = quantiles(ratios, n=4)
    shapes = tuple(f"{ours:7.0f} us, the schema {theirs:7.0f} us" for theirs, ours in figures)
    floor_us = median(theirs for theirs, _ in figures[1:])
    return Measured(Ratio(middle, low, high, floor_us, ratios[-1]), shapes=shapes)


def _first_use(form: str, floor: Floor, seed: str) -> tuple[float, float]:
    """Microseconds that the library takes for the schema, and we for all up to a first result."""
    random = Random(seed)  # noqa: S311  the seed is the purpose
    drawn = draw(random, str, nested=random.random() < 0.5)  # noqa: PLR2004  as often as not
    emit, tp = _emitter(form, floor, drawn), floor.object("Run", drawn.fields)
    theirs = _timed([emit])

    def use() -> object:
        made = tool(_handle, name="run", description="Run.", input=tp)
        return Toolset([made]).call_sync("run", drawn.right)

    return theirs / 1000, _timed([use]) / 1000


def _emitter(form: str, floor: Floor, drawn: Drawn) -> Callable[[], object]:
    """Emit by the library; attrs has no emission: pydantic's, of a dataclass with those fields."""
    source = FLOORS["dataclass"] if form == "attrs" else floor
    return partial(source.emit, source.object("Run", drawn.fields))
