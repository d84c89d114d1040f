"""The tools that the tests of every provider share: typed, foreign, failing, with options."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

from toolhaft import Doc, ToolError, Toolset, from_json, tool

__all__ = ["Weather", "tools"]


class Weather(TypedDict):
    city: str
    degrees: int
    days: int


@tool(
    title="Weather",
    annotations={"readOnlyHint": True, "openWorldHint": True},
    provider_options={
        "anthropic": {"cache_control": {"type": "ephemeral"}},
        "openai": {"defer_loading": True},
        "mcp": {"_meta": {"example.com/group": "travel"}},
    },
    metadata={"owner": "travel"},
)
def get_weather(
    city: Annotated[str, Doc("City name, e.g. Paris")],
    units: Literal["C", "F"] = "C",
    days: int = 3,
) -> Weather:
    """Current weather for a city."""
    return {"city": city, "degrees": 21 if units == "C" else 70, "days": days}


@tool
async def add(a: int, b: int) -> int:
    """Add two whole numbers."""
    return a + b


@tool
def find_order(number: int) -> str:
    """Find an order."""
    raise ToolError(f"there is no order {number}")


@tool
def crash() -> str:
    """Break."""
    raise RuntimeError("db=secret")


def _called(name: str, arguments: dict[str, Any]) -> Any:
    return {"name": name, "day": arguments["day"]}


RESPOND = {
    "name": "calendar.respond",
    "description": "Answer an invitation.",
    "inputSchema": {
        "type": "object",
        "properties": {"day": {"type": "string", "title": "Day"}},
        "required": ["day"],
    },
}


def tools() -> Toolset:
    """Five tools of our own making, and one that was declared elsewhere."""
    return Toolset([get_weather, add, find_order, crash]) + from_json([RESPOND], call=_called)
