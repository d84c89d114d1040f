"""The cost of a call's view and digest as its arguments grow, and of a request to a server.

    PYTHONPATH=src:.:bench python bench/view_growth.py [--only WORDS] [--rounds 5]

A curve is a type and a size that doubles: rows to 10,000, or depth to the limit of arguments. Its
figure is the median of the ratios of paired rounds; at most 2.3 is linear. A request is valid, of
64 KiB or 1 MiB of arguments; its figure is the least CPU time, in milliseconds, that its thread is
held: at most 20 and 300, for libraries that are written in Python beside what they take alone. Both
include the collector's work. Exits with 1 where one is over.
"""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import json
import sys
import time
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Final, NamedTuple

import marshmallow
import voluptuous
from paired import rounds_of, settle
from pydantic import AfterValidator, BaseModel, Field

from tests.call.asgi_post import post
from tests.call.view_types import EVERY, Branch, Limb, Tree, one, reordered
from toolhaft import Err, Toolset, tool
from toolhaft.serve import asgi
from toolhaft.tools.tool import AnyTool

GROWTH: Final = 2.3
ROWS: Final = ((2_500, 5_000), (5_000, 10_000))
# An object in a list is two levels, of the 32 that arguments may have.
DEPTHS: Final = ((3, 6), (7, 14))
SIZES: Final = {64 << 10: 20, 1 << 20: 300}
CALLS: Final = 200


class Curve(NamedTuple):
    """A tool and the arguments of two sizes, of which the second is twice the first."""

    name: str
    tool: AnyTool
    small: Any
    large: Any
    calls: int = 1


# ------------------------------------------------------------------------------- what grows


@dataclasses.dataclass
class Bough:
    """A dataclass in itself."""

    inner: list[Bough] = dataclasses.field(default_factory=list)
    spans: dict[int, timedelta] = dataclasses.field(default_factory=dict)
    id: int = dataclasses.field(default_factory=one)


class Still(BaseModel):
    """Static defaults only, one of which is an object."""

    inner: list[Still] = []
    spans: dict[int, timedelta] = {}
    at: tuple[int, int] = (0, 0)


class Kept(BaseModel):
    """Maps with numbers for keys, in each other."""

    kept: dict[int, Kept] = {}
    span: timedelta = timedelta(0)
    id: int = Field(default_factory=one)


class Loud(BaseModel):
    """Validators change the order of the items, and their texts."""

    inner: Annotated[list[Loud], AfterValidator(reordered)] = []
    spans: dict[int, timedelta] = {}
    note: Annotated[str, AfterValidator(str.upper)] = "none"
    id: int = Field(default_factory=one)


class Card(BaseModel):
    """A form of a union, with a factory."""

    day: date
    digits: str = "0000"
    id: int = Field(default_factory=one)


class Cash(BaseModel):
    """A form without one."""

    day: date
    coins: int = 5


class Gold(BaseModel):
    """Another form."""

    day: date
    ounces: int = 1


class Either(BaseModel):
    """Rows of two forms."""

    rows: list[Card | Cash]


class Third(BaseModel):
    """Rows of three forms, whose order a validator changes."""

    rows: Annotated[list[Card | Cash | Gold], AfterValidator(reordered)]


class Mapped(BaseModel):
    """Rows by names."""

    rows: dict[str, Card]


def rows(count: int) -> dict[str, Any]:
    """Rows in a list."""
    return {"rows": [{"day": f"{1900 + at % 50}-01-02"} for at in range(count)]}


def named_rows(count: int) -> dict[str, Any]:
    """Rows by names."""
    return {"rows": {str(at): row for at, row in enumerate(rows(count)["rows"])}}


def mixed_rows(count: int) -> dict[str, Any]:
    """Rows of both forms of a union."""
    return {"rows": [{**row, **({"coins": 1} if at % 2 else {})}
                     for at, row in enumerate(rows(count)["rows"])]}  # fmt: skip


def nested(depth: int) -> dict[str, Any]:
    """Objects in lists."""
    return {"inner": [nested(depth - 1), {}]} if depth else {"spans": {"1": "+PT1S"}}


def kept(depth: int) -> dict[str, Any]:
    """Objects in maps."""
    return {"kept": {"1": kept(depth - 1)}} if depth else {"span": "+PT1S"}


def asking(tp: Any, **options: Any) -> AnyTool:
    """Make a tool that waits for a person."""
    options = {"requires_approval": True, **options}
    made: AnyTool = tool(take, name="t", input=tp, output=None, **options)
    return made


def take(given: Any) -> None:
    """Take."""


def curves() -> Iterator[Curve]:
    """Yield every curve."""
    for make in EVERY:
        for makes in (False, True):
            for changes in (False, True):
                name = f"{make.__name__}{' factory' * makes}{' changed' * changes}"
                tp = make(makes=makes, changes=changes)
                yield from _of(name, tp, rows, ROWS, 1)
    for tp in (Either, Third):
        yield from _of(tp.__name__, tp, rows, ROWS, 1)
        yield from _of(f"{tp.__name__} mixed", tp, mixed_rows, ROWS, 1)
    yield from _of("Mapped", Mapped, named_rows, ROWS, 1)
    for tp in (Tree, Branch, Limb, Bough, Still, Loud):
        yield from _of(tp.__name__, tp, nested, DEPTHS, CALLS)
    yield from _of("Kept", Kept, kept, DEPTHS, CALLS)


def _of(name: str, tp: Any, make: Callable[[int], Any], sizes: Any, calls: int) -> Iterator[Curve]:
    asks = asking(tp)
    for small, large in sizes:
        yield Curve(f"{name}, {large} {make.__name__}", asks, make(small), make(large), calls)


def growth(curve: Curve, rounds: int) -> float:
    """Return by which factor the time grows when the size doubles."""

    def run(sent: Any) -> None:
        waiting = curve.tool.call_sync(sent)
        if not isinstance(waiting, Err) or waiting.prepared is None:
            sys.exit(f"{curve.name}: {waiting.text}")
        _ = waiting.prepared.digest

    settle()
    works = [lambda: run(curve.small), lambda: run(curve.large)]
    small, large = rounds_of(works, rounds=rounds, count=curve.calls)
    return median(more / less for less, more in zip(small, large, strict=True))


# ------------------------------------------------------------------------------- a request


class Visit(BaseModel):
    """An item whose text is respelled."""

    length: timedelta
    guests: int = 2


class Calendar(BaseModel):
    """Many of these."""

    visits: list[Visit]


def visits(count: int) -> dict[str, Any]:
    """Objects whose texts are respelled."""
    return {"visits": [{"length": f"+PT{at}S"} for at in range(count)]}


REQUESTS: Final[dict[str, tuple[Any, Callable[[int], Any]]]] = {
    "visits": (Calendar, visits),
    **{f"{make.__name__} rows": (make(makes=True, changes=False), rows) for make in EVERY},
}
ASKED: Final[dict[str, tuple[dict[str, Any], int]]] = {
    "authorize": ({"requires_approval": None, "authorize": lambda *_: True}, 200),
    "approval": ({}, 202),
}


def body_of(make: Callable[[int], Any], size: int) -> bytes:
    """Write the arguments that have about as many bytes, and no more."""
    count = size // 20
    while len(body := json.dumps(make(count)).encode()) > size:
        count = int(count * min(0.99, size / len(body)))
    return body


async def held(app: Any, body: bytes, status: int) -> float:
    """Return the CPU time for which a request occupies its thread, in milliseconds."""
    start = time.thread_time()
    answered, text = await post(app, "/tools/t", body)
    spent = time.thread_time() - start
    if answered != status:
        sys.exit(f"a request was answered with {answered}: {text[:200]!r}")
    return 1_000 * spent


def alone(tp: Any, body: bytes) -> float:
    """Return the CPU time of a library that is written in Python, in milliseconds; of others 0."""
    load = tp().load if is_marshmallow(tp) else tp if isinstance(tp, voluptuous.Schema) else None
    if load is None:
        return 0
    data = json.loads(body)
    start = time.thread_time()
    load(data)
    return 1_000 * (time.thread_time() - start)


def is_marshmallow(tp: Any) -> bool:
    """Whether a type is a schema of marshmallow."""
    return isinstance(tp, type) and issubclass(tp, marshmallow.Schema)


def requests(only: str, rounds: int) -> Iterator[tuple[str, float, float]]:
    """Yield each request with its time and its limit, in milliseconds."""
    for name, (tp, make) in REQUESTS.items():
        for asked, (options, status) in ASKED.items():
            tools = Toolset([asking(tp, **options)])
            for size, most in SIZES.items():
                row = f"request of {size >> 10} KiB, {name}, {asked}"
                if only in row:
                    body = body_of(make, size)
                    library = min(alone(tp, body) for _ in range(rounds))
                    with TemporaryDirectory() as folder:
                        app = asgi(tools, state=f"{folder}/state", approver=lambda _: "ann")
                        settle()
                        spent = asyncio.run(_least(app, body, status, rounds))
                    yield row, spent, most + library


async def _least(app: Any, body: bytes, status: int, rounds: int) -> float:
    return min([await held(app, body, status) for _ in range(rounds + 1)])


def main() -> int:
    """Print every figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="the rows that have this in their name")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    over = count = 0
    for curve in curves():
        if options.only in curve.name:
            ratio = growth(curve, options.rounds)
            count, over = count + 1, over + (ratio > GROWTH)
            print(f"{'!' if ratio > GROWTH else ' '} {curve.name:48} {ratio:5.2f}", flush=True)
    print(f"{count} curves, {over} over {GROWTH}")
    for row, spent, most in requests(options.only, options.rounds):
        over += spent > most
        print(f"{'!' if spent > most else ' '} {row:56} {spent:6.1f} ms of {most:.1f}", flush=True)
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())
