"""The real tools of public servers, listed by one."""

from __future__ import annotations

import asyncio
import gzip
import json
from typing import Any

import pytest

pytest.importorskip("mcp", reason="mcp is not installed")

from mcp import Client
from mcp.server.lowlevel import Server
from mcp.types import ListToolsResult, Tool

from tests.imports.mcp.environment import ROOT
from tests.imports.mcp.servers import MODES
from toolhaft import from_json, from_mcp
from toolhaft.imports.imported import Imported
from toolhaft.jsonio.canonical import digest
from toolhaft.review.lock import definition_of

REAL = ROOT.parent / "shared" / "data" / "tools_mcp.jsonl.gz"
PAGE = 25
FIELDS = ("title", "description", "inputSchema", "outputSchema", "annotations")

pytestmark = [
    pytest.mark.unmeasured,
    pytest.mark.skipif(not REAL.exists(), reason="the data are not part of the repository"),
]


def take_in(tools: list[Tool], revision: str) -> Imported:
    """Return the import of tools that a server lists on many pages."""

    async def list_tools(context: Any, params: Any) -> ListToolsResult:
        start = int(getattr(params, "cursor", None) or 0)
        end = start + PAGE
        following = str(end) if end < len(tools) else None
        return ListToolsResult(tools=tools[start:end], next_cursor=following)

    async def connected() -> Imported:
        server = Server("real", on_list_tools=list_tools)
        async with Client(server, mode=MODES[revision]) as client:
            return await from_mcp(client)

    return asyncio.run(connected())


@pytest.mark.requirement("from-mcp-tools")
@pytest.mark.parametrize("revision", MODES)
def test_real_tools_come_in_as_they_were_listed(revision: str) -> None:
    with gzip.open(REAL, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    listed = [
        {key: row[key] for key in FIELDS if row.get(key) not in (None, "")}
        | {"name": f"t{place}/{row['name']}"}
        for place, row in enumerate(rows)
        if row["inputSchema"].get("type") == "object"
    ]
    imported = take_in([Tool.model_validate(one) for one in listed], revision)
    assert (len(listed), len(imported), imported.refusals) == (550, 550, ())
    for one, taken in zip(from_json(listed), imported, strict=True):
        assert digest(definition_of(taken)) == digest(definition_of(one))
