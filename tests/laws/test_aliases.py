"""The aliasing law: changes by a program after a definition change no artefact of the tool."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final, TypeAlias

import httpx
import pytest

from tests.laws.aliases import KINDS, Aliased
from tests.share import share
from toolhaft import Toolset, from_json, from_openapi, schema_of, tool
from toolhaft.definition.targets import TARGETS
from toolhaft.review.lock import write_lock
from toolhaft.review.manifest import write_section
from toolhaft.tools.tool import AnyTool

pytestmark = [
    pytest.mark.requirement("definitions-share-nothing"),
    pytest.mark.usefixtures("known_error_ids"),
]

Wrap: TypeAlias = Callable[[Any], Any]
CALLS: Final[tuple[dict[str, Any], ...]] = (
    {"city": "Rome", "filter": {"units": "C", "tags": ["a"]}},
    {"city": 1},
    {},
    {"q": 1},
)
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "description": "Where.", "examples": ["Rome", "Oslo"]},
        "filter": {
            "type": "object",
            "properties": {
                "units": {"enum": ["C", "F"], "default": "C"},
                "tags": {"type": "array", "items": {"type": "string"}, "default": ["a"]},
                "rows": {"type": "array", "items": {"$ref": "#/$defs/row"}},
            },
            "additionalProperties": False,
        },
    },
    "required": ["city"],
    "additionalProperties": False,
    "$defs": {"row": {"type": "object", "properties": {"n": {"type": ["integer", "null"]}}}},
}
RESULT: Final = {"type": "object", "properties": {"got": {"enum": [[1], {"a": 1}]}}}
OPTIONS: Final[dict[str, Any]] = {
    "annotations": {"title": "Find", "readOnlyHint": True},
    "provider_options": {
        "anthropic": {"cache_control": {"type": "ephemeral"}},
        "openai-chat": {"function": {"x": {"y": [1, {"z": 2}]}}},
        "mcp": {"_meta": {"a": [1, 2]}},
    },
    "metadata": {"owner": {"team": ["a", "b"]}},
    "examples": [{"city": "Rome", "filter": {"tags": ["x"]}}],
}
DOCUMENT: Final[dict[str, Any]] = {
    "openapi": "3.1.0",
    "servers": [{"url": "https://shop.test"}],
    "paths": {
        "/find/{city}": {
            "post": {
                "operationId": "find",
                "summary": "Find.",
                "parameters": [
                    {"name": "city", "in": "path", "required": True, "schema": {"type": "string"}},
                    {"name": "tag", "in": "query", "schema": SCHEMA["$defs"]["row"]},
                ],
                "requestBody": {"content": {"application/json": {"schema": {
                    "$ref": "#/components/schemas/Filter"}}}},
                "responses": {"200": {"content": {"application/json": {"schema": {
                    "type": "object", "properties": {"path": {"enum": ["/find/Rome"]}}}}}}},
            }
        }
    },
    "components": {"schemas": {"Filter": SCHEMA["properties"]["filter"]["properties"]["units"]}},
}  # fmt: skip


def run(arguments: Any) -> Any:
    """Find."""
    return {"got": [len(arguments)]}


def find(
    city: str, filter: dict[str, Any] | None = None, tenant: dict[str, Any] | None = None
) -> str:
    """Find."""
    return f"{city} {filter} {tenant}"


def wrapped_options(wrap: Wrap) -> Any:
    options = {**OPTIONS, "input": SCHEMA, "output": RESULT}
    return {name: wrap(value) for name, value in options.items()}


def of_options(wrap: Wrap) -> AnyTool:
    made: AnyTool = tool(run, **wrapped_options(wrap))
    return made


def of_parameters(wrap: Wrap) -> AnyTool:
    made: AnyTool = tool(find, parameters=wrap(SCHEMA), omit=wrap(["tenant"]))
    return made


def replaced(wrap: Wrap) -> AnyTool:
    plain: AnyTool = tool(run, input={"type": "object"}, output=None)
    return plain.replace(**wrapped_options(wrap))


def transformed(wrap: Wrap) -> AnyTool:
    plain: AnyTool = tool(find)
    return plain.transform(
        rename=wrap({"filter": "where"}),
        describe=wrap({"city": "Where."}),
        hide=wrap({"tenant": {"id": [1, {"a": 2}]}}),
        defaults=wrap({"filter": {"units": ["C"]}}),
    ).replace(title="Again")


def of_schema(wrap: Wrap) -> AnyTool:
    made: AnyTool = tool(run, input=schema_of(validate=lambda data: data, json_schema=wrap(SCHEMA)))
    return made


def declared(wrap: Wrap) -> AnyTool:
    openai = {"type": "function", "name": "find", "description": "Find.", "parameters": SCHEMA}
    [made] = from_json(wrap([{**openai, "x": {"y": [1]}}]), call=lambda _, given: given)
    return made


def of_document(wrap: Wrap) -> AnyTool:
    transport = httpx.MockTransport(lambda sent: httpx.Response(200, json={"path": sent.url.path}))
    [made] = from_openapi(wrap(DOCUMENT), client=httpx.Client(transport=transport))
    return made


def joined(wrap: Wrap) -> AnyTool:
    first: AnyTool = tool(find)
    return Toolset(wrap([first]))["find"]


MAKERS: Final = (
    *(of_options, of_parameters, replaced, transformed),
    *(of_schema, declared, of_document, joined),
)


def artefacts(made: AnyTool) -> list[Any]:
    """Write everything that leaves a tool, and what its calls give."""
    tools = Toolset([made])
    calls = [made.call_sync(call) for call in CALLS]
    return [
        *(made.describe(), made.title, made.examples, made.metadata, made.annotations),
        *([tools.export(target).tools for target in TARGETS]),
        *(write_lock(tools), write_section(tools)),
        *(call.as_json() for call in calls),
    ]


@pytest.mark.parametrize("kind", [None, *KINDS])
@pytest.mark.parametrize("make", MAKERS, ids=lambda make: make.__name__)
def test_changes_after_a_definition_change_no_artefact(
    make: Callable[[Wrap], AnyTool], kind: str | None
) -> None:
    expected = artefacts(make(lambda data: data))
    for seed in range(share(20)):
        aliased = Aliased(Random(seed), kind)
        made = make(aliased.wrap)
        for _ in range(2):  # before what is lazy was made, and after
            aliased.change()
            assert artefacts(made) == expected
