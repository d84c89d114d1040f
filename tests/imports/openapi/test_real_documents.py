"""Real documents, where `make openapi` has brought them: nothing of them is in the repository."""

from __future__ import annotations

from typing import Any

import pytest
from openapi_documents import FOLDER, documents

from tests.imports.openapi.pets import Sent
from toolhaft import from_openapi

# Documents that are read in a second or two; `make openapi` reads all.
SMALL = ("petstore", "openai", "notion", "spotify", "slack", "twilio", "zoom")
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")


@pytest.mark.unmeasured
@pytest.mark.requirement("openapi-refusals")
@pytest.mark.skipif(not FOLDER.exists(), reason="make openapi brings the documents")
@pytest.mark.parametrize("name", SMALL)
def test_every_operation_is_a_tool_or_refused_by_name_with_the_reason(name: str) -> None:
    [(_, document)] = documents(name)
    operations = [
        node.get("operationId")
        for item in document["paths"].values()
        for method, node in item.items()
        if method in METHODS
    ]
    client = Sent().client(base_url="http://server.test")
    tools = from_openapi(document, client=client)
    assert len(tools) + len({fault.tool for fault in tools.refusals}) == len(operations)
    assert all(fault.reason and fault.fix for fault in tools.refusals)
    ids: set[Any] = {*operations} - {None}
    named = {tool.name for tool in tools} | {fault.tool for fault in tools.refusals}
    assert len(ids - named) <= len([one for one in ids if " " in one])
