"""Real tools out to each host and back: the same schema, and the same answer to each call."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from tests.frameworks import table
from tests.frameworks.driver import EXPECTED, INSTALLED, converters, driver_of
from tests.schema.corpora import rows
from tests.share import step
from toolhaft import DefinitionError, from_json
from toolhaft.frameworks.incoming import close_root
from toolhaft.schema.generate import NoValue, Values
from toolhaft.testing import mutations_of
from toolhaft.tools.tool import AnyTool

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.unmeasured]

LEAST = 300
# Their lists of `items` are of an older draft, which they do not say; Haystack asks jsonschema.
REFUSED = {"haystack": {"tool_123", "tool_169"}}


def real_tools(every: int = 1) -> Iterator[AnyTool]:
    """Yield the recorded tools that can be imported; each returns its arguments."""
    for place, row in [*enumerate(rows("tools_mcp.jsonl.gz"))][::every]:
        declared = {
            "name": f"tool_{place}",
            "description": row.get("description") or "A tool.",
            "inputSchema": row["inputSchema"],
        }
        try:
            [tool] = from_json([declared], call=lambda name, arguments: arguments)
        except DefinitionError:
            continue
        yield tool


def calls_of(tool: AnyTool) -> Iterator[Any]:
    """Yield calls that a tool accepts, and some that it rejects or repairs."""
    values = Values(tool.input_schema.json_schema(), Random(0))
    try:
        yield from (values.valid() for _ in range(2))
    except NoValue:
        return
    yield from (wrong.arguments for wrong in mutations_of(tool, count=2))


@pytest.mark.requirement("frameworks-in")
@pytest.mark.parametrize("host", INSTALLED)
def test_a_real_tool_comes_back_as_it_went_out(host: str) -> None:
    driver, (to_host, from_host) = driver_of(host), converters(host)
    is_whole = host in EXPECTED
    tools = list(real_tools(1 if is_whole else 2 * step()))
    assert len(tools) >= (LEAST if is_whole else 20)
    refused, calls = [], 0
    for tool in tools:
        try:
            out = to_host(tool)
        except DefinitionError:
            refused.append(tool.name)
            continue
        back = from_host(out)
        assert (back.name, back.description) == (tool.name, tool.description)
        schema = close_root(tool.input_schema.json_schema())
        assert back.input_schema.json_schema() == schema, tool.name
        closed = tool.replace(input=schema)
        for arguments in calls_of(closed):
            outcome, answer = closed.call_sync(arguments), back.call_sync(arguments)
            expected = driver.returned(outcome.text) if outcome else outcome.text
            assert (bool(answer), answer.text) == (bool(outcome), expected), tool.name
            calls += 1
    assert set(refused) <= REFUSED.get(host, set())
    assert calls > 2 * len(tools)
    table.note_round_trip(host, len(tools) - len(refused), calls)
