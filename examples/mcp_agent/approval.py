"""Ask the user of an MCP client whether a call may run."""

from __future__ import annotations

from typing import Any

from mcp import MCPError

from toolhaft import Deny

FORM = {"type": "object", "properties": {}}


def asking(context: Any, name: str) -> Any:
    """Return an `approve=` for one request: the question goes to the client's user."""

    async def approve(call: Any) -> bool | Deny:
        try:
            answer = await context.session.elicit_form(f"Run {name} with {call.json}?", FORM)
        except MCPError:  # the client cannot ask, or its revision has no way to it
            return Deny("nobody can be asked to approve this call")
        return answer.action == "accept" or Deny("the user declined")

    return approve
