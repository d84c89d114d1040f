"""Tools whose schemas share definitions are what they would be one by one."""

from __future__ import annotations

import gc
import json
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import openapi_generated
import pytest

from toolhaft import from_openapi
from toolhaft.imports.imported import Imported
from toolhaft.schema.components import Components, View
from toolhaft.schema.limits import faults_of

DOCUMENT = openapi_generated.document(130)
DECLARATIONS = openapi_generated.declarations(60)
ARGUMENTS: list[dict[str, Any]] = [
    {},
    {"id": 7},
    {"id": "7"},
    {"id": "7", "body": {"rest": []}},
    {"id": "7", "body": {"main": {}, "rest": [{}, 1]}, "more": 1},
]


def import_document() -> Imported:
    return from_openapi(DOCUMENT, client=openapi_generated.Client())


def import_declarations() -> Imported:
    return openapi_generated.import_json(DECLARATIONS)


IMPORTS = pytest.mark.parametrize("imported", [import_document, import_declarations])


def written(tools: Imported) -> str:
    """Write all that an import says, byte for byte."""
    wire = json.dumps([tool.input_schema.json_schema() for tool in tools])
    outputs = [tool.output_schema and tool.output_schema.json_schema() for tool in tools]
    return repr((wire, json.dumps(outputs), tools.refusals, tools.left_out))


def read_whole(components: Components, schema: dict[str, Any], *, is_cut: bool = False) -> View:
    del is_cut
    return View(faults_of(schema, components.limits), components.limits)


@IMPORTS
def test_sharing_changes_nothing_that_is_shown(
    imported: Callable[[], Imported], monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = written(imported())
    monkeypatch.setattr(Components, "view", read_whole)
    assert shared == written(imported())


@IMPORTS
def test_sharing_changes_no_outcome(
    imported: Callable[[], Imported], monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = list(outcomes(imported()))
    monkeypatch.setattr(Components, "view", read_whole)
    assert shared == list(outcomes(imported()))
    assert {kind for kind, _ in shared} == {"Ok", "Err"}


def outcomes(tools: Imported) -> Iterator[tuple[str, str]]:
    for tool in list(tools)[::6]:
        for arguments in ARGUMENTS:
            outcome = tool.call_sync(arguments)
            yield type(outcome).__name__, outcome.text.partition(" (error id")[0]


@IMPORTS
def test_tools_that_are_dropped_are_freed_without_the_collector(
    imported: Callable[[], Imported],
) -> None:
    gc.disable()
    try:
        tools = imported()
        parts = [weakref.ref(each.input_schema) for each in tools]
        del tools
        assert [part for part in parts if part() is not None] == []
    finally:
        gc.enable()


def test_a_malformed_component_rejects_the_operations_that_reach_it_only() -> None:
    document = openapi_generated.document(260)
    tools = from_openapi(document, client=openapi_generated.Client())
    reasons = {fault.reason for fault in tools.refusals}
    assert reasons == {"malformed required"}
    assert len(tools) + len(tools.refusals) == 260
