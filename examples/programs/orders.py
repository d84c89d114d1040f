"""Tools for programs: code finds the late orders, and only a model itself refunds one."""

from __future__ import annotations

from typing import TypedDict

from toolhaft import Toolset, tool

__all__ = ["TOOLS"]


class Order(TypedDict):
    """An order."""

    id: int
    days: int


@tool(allowed_callers={"direct", "programmatic"})
def list_orders(city: str) -> list[Order]:
    """List the open orders of a city, with the days since each was made."""
    return [{"id": number, "days": number * len(city) % 9} for number in range(1, 6)]


@tool(allowed_callers={"direct"})
def refund(order: int) -> str:
    """Refund an order."""
    return f"refunded {order}"


TOOLS = Toolset([list_orders, refund])
