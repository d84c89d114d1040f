"""Our own loop, beside the hosts."""

from __future__ import annotations

import json
from typing import Any

from tests.frameworks.driver import Call
from toolhaft import agent_loop
from toolhaft.testing import ScriptedModel

LISTS_BY_RUN, SIDE_BY_SIDE = True, True


async def run_calls(tools: Any, calls: list[Call], context: Any) -> list[str]:
    model = ScriptedModel([(call.name, json.loads(call.text)) for call in calls], "done")
    asked: dict[str, Any] = {"model": "fake", "messages": [], "tools": tools}
    async for _ in agent_loop.run(model, **asked, context=context):
        pass
    return [tool.get("name") or tool["type"] for tool in model.requests[0].get("tools", [])]
