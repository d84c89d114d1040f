"""Defines each hostile item's tools in its own process, and reports the outcome as JSON.

A valid definition is exported to every target, checked by every rule, and called with the item's
sample: none of it may hang, crash or reach out.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path
from typing import Any

from tests.forks import serve
from tests.hostile.child import MEMORY, materialise, opened, watch
from toolhaft import DefinitionError, Err, Toolset, from_json, tool
from toolhaft.definition.targets import TARGETS
from toolhaft.review.checks import check
from toolhaft.review.checks.subject import Subject

DEADLINE = 30


def defined(item: dict[str, Any], data: Path) -> Toolset:
    """The tools of an item.

    Raises:
        DefinitionError: as they should.
    """
    if item["input"].get("py") == ["mutate_schema_after_register"]:
        return mutated()
    value = materialise(item, data)
    if isinstance(value, dict) and "name" not in value:
        value = {"name": "get_weather", "description": "Weather.", "inputSchema": value}
    listed = value if isinstance(value, list) else [value]
    return from_json(listed, call=lambda name, arguments: [name, *arguments])


def mutated() -> Toolset:
    """A tool whose author changes the schema once it is defined."""
    schema: dict[str, Any] = {"type": "object", "properties": {"city": {"type": "string"}}}
    made = Toolset([tool(lambda a: 1, name="t", description="T.", input=schema, output=None)])
    schema["properties"]["city"]["type"] = "null"
    return made


def handled(item: dict[str, Any], data: str) -> dict[str, Any]:
    """Return whether the tools were rejected, and otherwise their outcomes."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    sys.addaudithook(watch)
    said: dict[str, Any] = {"refused": [], "codes": [], "kinds": []}
    try:
        tools = defined(item, Path(data))
    except DefinitionError as error:
        said["refused"] = [[fault.reason, fault.fix] for fault in error.faults]
    else:
        for target in TARGETS:
            tools.export(target, strict="prefer")
        subjects = [Subject(one, "item", runs=False) for one in tools]
        said["codes"] = sorted({one.code for one in check(subjects)})
        outcomes = [one.call_sync(item.get("sample")) for one in tools]
        said["kinds"] = [one.kind if isinstance(one, Err) else "ok" for one in outcomes]
    return {**said, "opened": opened}


if __name__ == "__main__":
    mutated()  # load what is needed
    serve(handled, DEADLINE)
