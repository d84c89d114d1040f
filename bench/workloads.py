"""The named workloads: arguments, the fields that describe them, and the handler's work.

A field is a scalar type, "date" or "datetime", one of the kinds below, a list of one kind, or an
object of fields. Each floor turns such a description into a type of its library.
"""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple, TypeAlias

__all__ = [
    "SHAPES",
    "WORKLOADS",
    "Bounds",
    "Default",
    "Fields",
    "Longest",
    "Matches",
    "Nullable",
    "OneOf",
    "Span",
    "Workload",
    "take",
]

Fields: TypeAlias = dict[str, Any]


class Bounds(NamedTuple):
    """An integer from `low` to `high`."""

    low: int
    high: int


class Span(NamedTuple):
    """A number from `low` to `high`."""

    low: float
    high: float


class Longest(NamedTuple):
    """Text of at most so many characters."""

    length: int


class Matches(NamedTuple):
    """Text that a pattern matches."""

    pattern: str


class OneOf(NamedTuple):
    """One of some words: an Enum, or a Literal."""

    members: tuple[str, ...]
    literal: bool


class Default(NamedTuple):
    """A field that may be left out, but not null."""

    kind: Any
    value: Any


class Nullable(NamedTuple):
    """A field that may be left out or null."""

    kind: Any


ITEM: Final = {"sku": str, "quantity": int, "price": float}
# How each library describes these is in floors.py.
SHAPES: Final[dict[str, Fields]] = {
    "flat": {"city": str, "days": Bounds(1, 14), "units": str},
    "nested": {
        "city": str,
        "days": int,
        "customer": str,
        "email": str,
        "street": str,
        "country": str,
        "express": bool,
        "discount": float,
        "priority": int,
        "notes": str,
        "tags": [str],
        "items": [ITEM],
    },
    "seen": {"city": str, "days": int},
}

PARIS: Final = {"city": "Paris", "days": 3, "units": "C"}
ORDER: Final = {
    "city": "London",
    "days": 2,
    "customer": "Ada Lovelace",
    "email": "ada@example.org",
    "street": "12 St James's Square",
    "country": "GB",
    "express": True,
    "discount": 0.15,
    "priority": 2,
    "notes": "ring twice",
    "tags": ["gift", "fragile", "insured"],
    "items": [{"sku": f"SKU-{n}", "quantity": n, "price": 9.5 * n} for n in range(1, 6)],
}


class Workload(NamedTuple):
    """One row: the shape of the arguments, the arguments, and how the call is made."""

    shape: str
    raw: Any
    to_text: bool = False
    output: bool = False
    asynchronous: bool = False
    fails: bool = False

    @property
    def plain(self) -> bool:
        return not self.output and not self.asynchronous


WORKLOADS: Final = {
    "flat": Workload("flat", PARIS),
    "nested": Workload("nested", ORDER),
    "invalid": Workload("flat", {"days": "soon", "units": 5}, to_text=True, fails=True),
    "text to text, flat": Workload("flat", json.dumps(PARIS), to_text=True),
    "text to text, nested": Workload("nested", json.dumps(ORDER), to_text=True),
    "output checked": Workload("flat", PARIS, output=True),
    "async, flat": Workload("flat", PARIS, asynchronous=True),
    "undeclared key": Workload("flat", {**PARIS, "note": "quiet"}, to_text=True),
    "colon in a string": Workload("flat", json.dumps({**PARIS, "city": "a: b"}), to_text=True),
}


def take(city: str, days: int) -> dict[str, Any]:
    """Do as little as a handler can: two fields in, a small object out."""
    return {"city": city, "days": days}
