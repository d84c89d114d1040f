"""The flat and the nested shape as parameters of a function, for `tool` to read."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import BaseModel, Field
from workloads import take

__all__ = ["SIGNATURES"]


class Item(BaseModel):
    """One line of an order."""

    sku: str
    quantity: int
    price: float


def flat(city: str, days: Annotated[int, Field(ge=1, le=14)], units: str) -> Any:
    """Three parameters."""
    return take(city, days)


def nested(
    city: str,
    days: int,
    customer: str,
    email: str,
    street: str,
    country: str,
    express: bool,
    discount: float,
    priority: int,
    notes: str,
    tags: list[str],
    items: list[Item],
) -> Any:
    """Twelve parameters."""
    return take(city, days)


SIGNATURES: Final[dict[str, Any]] = {"flat": flat, "nested": nested}
