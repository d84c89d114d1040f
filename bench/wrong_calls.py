"""The rows of refusals that cost more than others, and of a thousand wrong or repaired rows.

A refused call is read up to its text, against the library's own failing validation, caught. A
repaired call is held against that, right validation and the handler.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from typing import Annotated, Any, Final, Literal, NamedTuple

from floors import FLOORS
from paired import calls_a_round, paired
from pydantic import BaseModel, Field, model_validator
from rows import Measured, Row

from toolhaft import Err, Ok, tool

__all__ = ["wrong_rows"]

ROWS: Final = 1_000
FLOOR: Final = FLOORS["pydantic"]
FEWEST_ROUNDS: Final = 5


class Circle(BaseModel):
    """A circle."""

    radius: float


class Box(BaseModel):
    """A box."""

    width: float
    height: float


class Label(BaseModel):
    """A text."""

    text: str
    size: int


class TaggedCircle(Circle):
    """A circle that says so."""

    kind: Literal["circle"]


class TaggedBox(Box):
    """A box that says so."""

    kind: Literal["box"]


class Plain(BaseModel):
    """A form of three that nothing names."""

    title: str
    form: Circle | Box | Label


class Tagged(BaseModel):
    """A form that a tag names."""

    title: str
    form: Annotated[TaggedCircle | TaggedBox, Field(discriminator="kind")]


class Price(BaseModel):
    """An amount of money."""

    item: str
    amount: Decimal


class Trip(BaseModel):
    """A trip that ends after it begins."""

    first: int
    last: int

    @model_validator(mode="after")
    def ends(self) -> Trip:
        """Refuse a trip that ends before it begins."""
        if self.last < self.first:
            raise ValueError("the last day is before the first")
        return self


class Entry(BaseModel):
    """One row."""

    id: int
    name: str


class Table(BaseModel):
    """Many rows."""

    rows: list[Entry]


class Wrong(NamedTuple):
    """A type, and arguments that it refuses."""

    tp: Any
    sent: Any


def _table(wrong: Callable[[int], Any]) -> dict[str, Any]:
    return {"rows": [{"id": wrong(number), "name": f"row {number}"} for number in range(ROWS)]}


REFUSED: Final[dict[str, Wrong]] = {
    "no branch": Wrong(Plain, {"title": "plan", "form": {"kind": "star", "points": 5}}),
    "bad tag": Wrong(Tagged, {"title": "plan", "form": {"kind": "star", "radius": 2.5}}),
    "Decimal": Wrong(Price, {"item": "door", "amount": "many"}),
    "model validator": Wrong(Trip, {"first": 5, "last": 3}),
    "1,000 wrong rows": Wrong(Table, _table(lambda number: f"no. {number}")),
}


def wrong_rows() -> Iterator[Row]:
    """Every refusal, and the repair of many rows."""
    for name, wrong in REFUSED.items():
        yield Row("pydantic", f"refusal, {name}", partial(_refused, wrong))
    yield Row("pydantic", "repairs of 1,000 rows", _repaired)


def _refused(wrong: Wrong, rounds: int) -> Measured:
    call = _tool(wrong.tp).call_sync
    if not isinstance(call(wrong.sent), Err):
        return Measured(None, ("accepted",))
    return _measured(FLOOR.failing(wrong.tp, wrong.sent), lambda: call(wrong.sent).text, rounds)


def _repaired(rounds: int) -> Measured:
    call, sent, right = _tool(Table).call_sync, _table(str), _table(int)
    outcome = call(sent)
    if not isinstance(outcome, Ok) or len(outcome.coercions) != ROWS:
        return Measured(None, ("not repaired",))
    floor = FLOOR.repaired(Table, _table(lambda number: f"no. {number}"), right, _handle)
    return _measured(floor, lambda: call(sent), rounds)


def _measured(floor: Callable[[], Any], work: Callable[[], Any], rounds: int) -> Measured:
    count = calls_a_round(work)
    return Measured(paired(floor, work, rounds=max(FEWEST_ROUNDS, rounds // 4), count=count))


def _tool(tp: Any) -> Any:
    return tool(_handle, name="run", description="Run.", input=tp)


def _handle(_: Any) -> Any:
    return {"done": True}
