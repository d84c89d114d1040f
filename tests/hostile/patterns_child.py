"""Calls a tool whose pattern goes back, in a process with so many seconds of the processor."""

from __future__ import annotations

import resource
from typing import Any

from tests.forks import serve
from tests.hostile.child import MEMORY
from toolhaft import Err, tool

SECONDS = 5


def called(pattern: str, text: str, count: int, schema: dict[str, Any]) -> list[str]:
    """Call a tool of a list of texts, and return the outcome."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    item = {"type": "string", "pattern": pattern}
    properties = {"x": {"type": "array", "items": {**item, **schema}}}
    declared: Any = {"type": "object", "properties": properties, "required": ["x"]}
    listed = tool(lambda arguments: "", name="listed", description="List.", input=declared)
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime) + 1 + SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    outcome = listed.call_sync({"x": [text] * count})
    return ["ok"] if not isinstance(outcome, Err) else [outcome.kind, outcome.text]


if __name__ == "__main__":
    serve(called)
