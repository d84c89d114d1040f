"""A tool of somebody else's with a pattern that can take exponential time is refused by name."""

from __future__ import annotations

from typing import Any

import pytest

from tests.imports.openapi.pets import Sent
from toolhaft import DefinitionError, Err, from_json, from_openapi, tool
from toolhaft.errors import Fault
from toolhaft.schema.backtracking import UNAMBIGUOUS

EXPLODING = r"^(\w+\s?)+\1$"
REASON = "pattern that can take exponential time"
# A linear engine runs this one, however it looks.
LINEAR = "^(a+)+$"


def schema_of(pattern: str) -> dict[str, Any]:
    return {"type": "object", "properties": {"q": {"type": "string", "pattern": pattern}}}


def declared(name: str, pattern: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": "Find.", "inputSchema": schema_of(pattern), **more}


@pytest.mark.requirement("schema-backtracking")
def test_declarations_are_refused_by_name() -> None:
    tools = from_json([declared("fine", LINEAR), declared("careful", "^(?!a)")])
    assert [each.name for each in tools] == ["fine", "careful"]
    outputs = declared("found", LINEAR, outputSchema=schema_of(EXPLODING))
    with pytest.raises(DefinitionError) as caught:
        from_json([declared("find", EXPLODING), outputs])
    assert caught.value.faults == (
        Fault("declarations[0] find", "inputSchema/properties/q", REASON, UNAMBIGUOUS),
        Fault("declarations[1] found", "outputSchema/properties/q", REASON, UNAMBIGUOUS),
    )


@pytest.mark.requirement("schema-backtracking")
def test_operations_are_refused_by_name_and_the_others_stay() -> None:
    def operation(name: str, pattern: str) -> dict[str, Any]:
        schema = {"type": "string", "pattern": pattern}
        return {"operationId": name, "parameters": [{"name": "q", "in": "query", "schema": schema}]}

    document = {
        "openapi": "3.1.0",
        "info": {"title": "Finds", "version": "1"},
        "servers": [{"url": "https://finds.test"}],
        "paths": {
            "/a": {"get": operation("fine", LINEAR)},
            "/b": {"get": operation("find", EXPLODING)},
        },
    }
    tools = from_openapi(document, client=Sent().client())
    assert [each.name for each in tools] == ["fine"]
    assert [(fault.tool, fault.reason) for fault in tools.refusals] == [("find", REASON)]


@pytest.mark.requirement("schema-backtracking")
def test_ones_own_tool_stands_and_its_calls_end() -> None:
    find = tool(lambda a: "found", name="find", description="Find.", input=schema_of(EXPLODING))
    outcome = find.call_sync({"q": "a" * 40 + "!"})
    assert isinstance(outcome, Err)
    assert "takes too long to match" in outcome.text
