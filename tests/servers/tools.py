"""The tools that the scripted models call: one for each thing that can happen to a call."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, TypedDict

from toolhaft import Deny, Doc, Prepared, ToolError, Toolset, tool

__all__ = ["BEGUN", "TOOLS", "Weather", "approve"]


class Weather(TypedDict):
    city: str
    days: int


@tool
def get_weather(city: Annotated[str, Doc("City name, e.g. Paris")], days: int = 1) -> Weather:
    """Current weather for a city."""
    return {"city": city, "days": days}


@tool
def find_order(number: int) -> str:
    """Find an order."""
    raise ToolError(f"there is no order {number}")


@tool
def crash() -> str:
    """Break."""
    raise RuntimeError("db=secret")


@tool(timeout=0.01)
async def hang() -> str:
    """Never end, but for a timeout."""
    await asyncio.Event().wait()
    return ""


BEGUN: list[asyncio.Event] = []


@tool
async def wait() -> str:
    """Say that it has begun, and wait to be cancelled."""
    BEGUN[-1].set()
    await asyncio.Event().wait()
    return ""


@tool(requires_approval=True)
def refund(amount: int, currency: str = "EUR") -> str:
    """Pay money back."""
    return f"{amount} {currency} were paid back"


def approve(prepared: Prepared[Any]) -> bool | Deny:
    """Be the person who decides."""
    return prepared.arguments["amount"] <= 50 or Deny("that is too much")


TOOLS = Toolset([get_weather, find_order, crash, hang, wait, refund])
