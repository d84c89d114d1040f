"""The floors: the least that a hand-written program does for a call, as functions.

Each floor validates with pydantic's own compiled validator, lax as it comes, and calls the
handler directly: no strictness, no duplicate keys, no outcome, no caught exception. A ratio
of 1 would mean that the whole boundary is free.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, Field, ValidationError
from pydantic_core import to_json

__all__ = ["FLAT", "FLAT_TEXT", "INVALID", "NESTED", "NESTED_TEXT", "Flat", "Nested", "floors"]


class Flat(BaseModel):
    """Three fields."""

    city: str
    days: int = Field(ge=1, le=14)
    units: str


class Item(BaseModel):
    """One line of an order."""

    sku: str
    quantity: int
    price: float


class Nested(BaseModel):
    """Twelve fields, one of them a list of objects."""

    order: str
    customer: str
    email: str
    street: str
    city: str
    country: str
    express: bool
    discount: float
    priority: int
    notes: str
    tags: list[str]
    items: list[Item]


FLAT: dict[str, Any] = {"city": "Paris", "days": 3, "units": "C"}
INVALID: dict[str, Any] = {"days": "soon", "units": 5}
NESTED: dict[str, Any] = {
    "order": "A-1001",
    "customer": "Ada Lovelace",
    "email": "ada@example.org",
    "street": "12 St James's Square",
    "city": "London",
    "country": "GB",
    "express": True,
    "discount": 0.15,
    "priority": 2,
    "notes": "ring twice",
    "tags": ["gift", "fragile", "insured"],
    "items": [{"sku": f"SKU-{n}", "quantity": n, "price": 9.5 * n} for n in range(1, 6)],
}
FLAT_TEXT = json.dumps(FLAT)
NESTED_TEXT = json.dumps(NESTED)

FLAT_VALIDATOR = Flat.__pydantic_validator__
NESTED_VALIDATOR = Nested.__pydantic_validator__


def take_flat(value: Flat) -> dict[str, Any]:
    """Do as little as a handler can: three fields in, a small object out."""
    return {"city": value.city, "days": value.days}


def take_nested(value: Nested) -> dict[str, Any]:
    """The same for the large object."""
    return {"order": value.order, "items": len(value.items)}


def flat() -> object:
    """Flat, dict in."""
    return take_flat(FLAT_VALIDATOR.validate_python(FLAT))


def nested() -> object:
    """Nested, dict in."""
    return take_nested(NESTED_VALIDATOR.validate_python(NESTED))


def invalid() -> object:
    """Three faults, to the text that a retry would show: where and why, without the values."""
    try:
        return take_flat(FLAT_VALIDATOR.validate_python(INVALID))
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)
        return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in found)


def text_flat() -> object:
    """JSON text in, JSON text out."""
    return to_json(take_flat(FLAT_VALIDATOR.validate_json(FLAT_TEXT)))


def text_nested() -> object:
    """The same for the large object."""
    return to_json(take_nested(NESTED_VALIDATOR.validate_json(NESTED_TEXT)))


def floors() -> dict[str, Any]:
    """The floors by the names of their workloads."""
    return {
        "flat": flat,
        "nested": nested,
        "invalid": invalid,
        "text to text, flat": text_flat,
        "text to text, nested": text_nested,
    }
