"""The waiting calls of the inbox, and how each differs from an earlier question."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from toolhaft.jsonio.jsondata import to_json_data
from toolhaft.serve.catalogue import Catalogue
from toolhaft.serve.decisions import Decisions
from toolhaft.serve.document import describe
from toolhaft.tools.tool import AnyTool

__all__ = ["read_inbox"]


async def read_inbox(
    decisions: Decisions, catalogue: Catalogue, version: str | None, most: int
) -> dict[str, Any]:
    """Read the first calls that wait, the oldest first, their tools, and how many wait in all.

    With the version that the page has, nothing is sent again.
    """
    waiting = await decisions.find_waiting()
    ids = "".join(call.id for call in waiting)
    current = sha256(f"{id(catalogue.tools)} {most} {ids}".encode()).hexdigest()[:16]
    if version == current:
        return {"version": current, "unchanged": True}
    calls = list(decisions.describe_waiting(waiting[:most]))
    names = {call["prepared"]["name"] for call in calls}
    tools = {tool.name: _tool(tool) for tool in catalogue.tools if tool.name in names}
    shown = {"calls": _with_changes(calls), "tools": tools}
    return {"version": current, "waiting": len(waiting), **shown}


def _tool(tool: AnyTool) -> dict[str, Any]:
    examples = [to_json_data(example) for example in tool.examples or ()]
    return {**describe(tool), "examples": examples}


def _with_changes(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Add the arguments of the caller's ask for the same tool before, if that waits too."""
    earlier: dict[tuple[str | None, str], Any] = {}
    shown: list[dict[str, Any]] = []
    for call in calls:
        asked = call.get("caller"), call["prepared"]["name"]
        shown.append({**call, "earlier": earlier.get(asked)})
        earlier[asked] = call["prepared"]["arguments"]
    return shown
