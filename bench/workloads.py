"""What is measured: arguments, the fields that describe them, and what a handler does with them."""

from __future__ import annotations

import json
from enum import Enum
from typing import Any, Final, NamedTuple

__all__ = ["SHAPES", "WORKLOADS", "Bounds", "Matches", "Units", "Workload", "take"]


class Bounds(NamedTuple):
    """An integer from `low` to `high`."""

    low: int
    high: int


class Matches(NamedTuple):
    """Text that a pattern matches."""

    pattern: str


class Units(Enum):
    """Two members."""

    METRIC = "C"
    IMPERIAL = "F"


ITEM: Final = {"sku": str, "quantity": int, "price": float}
FLAT: Final = {"city": str, "days": Bounds(1, 14), "units": str}
NESTED: Final = {
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
}
# A field is a scalar, one of the notes above, a list of one kind, or an object of fields.
SHAPES: Final[dict[str, dict[str, Any]]] = {
    "flat": FLAT,
    "nested": NESTED,
    "pattern": {**FLAT, "city": Matches("^[A-Z][a-z]+$")},
    "datetime": {**FLAT, "units": "datetime"},
    "enum": {**FLAT, "units": Units},
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

    @property
    def plain(self) -> bool:
        return not self.output and not self.asynchronous


WORKLOADS: Final = {
    "flat": Workload("flat", PARIS),
    "nested": Workload("nested", ORDER),
    "invalid": Workload("flat", {"days": "soon", "units": 5}, to_text=True),
    "text to text, flat": Workload("flat", json.dumps(PARIS), to_text=True),
    "text to text, nested": Workload("nested", json.dumps(ORDER), to_text=True),
    "output checked": Workload("flat", PARIS, output=True),
    "async, flat": Workload("flat", PARIS, asynchronous=True),
    "pattern": Workload("pattern", PARIS),
    "datetime": Workload("datetime", {**PARIS, "units": "2026-11-21T08:00:00Z"}),
    "enum": Workload("enum", PARIS),
    "undeclared key": Workload("flat", {**PARIS, "note": "quiet"}, to_text=True),
    "colon in a string": Workload("flat", json.dumps({**PARIS, "city": "a: b"}), to_text=True),
}


def take(city: str, days: int) -> dict[str, Any]:
    """Do as little as a handler can: two fields in, a small object out."""
    return {"city": city, "days": days}
