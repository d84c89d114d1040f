"""Six tools that share types, for generators of clients."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from toolhaft import tool


class Size(StrEnum):
    """How large a packet is."""

    SMALL = "small"
    LARGE = "large"


class Address(BaseModel):
    """Where something is sent."""

    street: str
    city: str


class Card(BaseModel):
    """Payment by card."""

    kind: Literal["card"]
    last_digits: str


class Invoice(BaseModel):
    """Payment by invoice."""

    kind: Literal["invoice"]
    to: Address


Payment = Annotated[Card | Invoice, Field(discriminator="kind")]


class Line(BaseModel):
    """One line of an order."""

    item: str
    size: Size = Size.SMALL
    count: int = 1


class Order(BaseModel):
    """An order."""

    id: int
    lines: list[Line]
    to: Address
    payment: Payment


@tool
def place_order(lines: list[Line], to: Address, payment: Payment) -> Order:
    """Place an order."""
    return Order(id=1, lines=lines, to=to, payment=payment)


@tool(annotations={"readOnlyHint": True})
def read_order(id: int) -> Order:
    """Read an order."""
    to = Address(street="Quai", city="Paris")
    return Order(id=id, lines=[], to=to, payment=Invoice(kind="invoice", to=to))


@tool(annotations={"readOnlyHint": True})
def list_orders(city: str | None = None) -> list[Order]:
    """List the orders of a city."""
    return [read_order(1)] if city == "Paris" else []


@tool
def change_address(id: int, to: Address) -> Order:
    """Send an order elsewhere."""
    return read_order(id).model_copy(update={"to": to})


@tool
def add_line(id: int, line: Line) -> Order:
    """Add a line to an order."""
    return read_order(id).model_copy(update={"lines": [line]})


@tool(annotations={"readOnlyHint": True})
def count_items(lines: list[Line]) -> dict[Size, int]:
    """Count the items of each size."""
    return {size: sum(one.count for one in lines if one.size == size) for size in Size}
