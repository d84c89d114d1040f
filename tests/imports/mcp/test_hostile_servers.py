"""Servers that are careless or hostile: each call ends with a clear outcome, within bounds."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import Any

import pytest

pytest.importorskip("mcp", reason="mcp is not installed")

from mcp import ClientSession
from mcp.types import ListToolsResult, Tool

from tests.imports.mcp.environment import ROOT, WHOLE
from tests.imports.mcp.servers import WAYS, Way
from toolhaft import DefinitionError, Err, from_mcp
from toolhaft.errors import Fault, WireError
from toolhaft.imports.mcp import listing

pytestmark = pytest.mark.usefixtures("known_error_ids")
EACH_WAY = pytest.mark.parametrize("way", WAYS, ids=["-".join(way) for way in WAYS])
IN_MEMORY = pytest.mark.parametrize("way", WAYS[:2], ids=[way.revision for way in WAYS[:2]])
LIMIT = "larger than 16,777,216 bytes"


def refusal(way: Way, server: str, **options: Any) -> Exception:
    """Return the exception of `from_mcp`; the session is usable after it."""

    async def use(session: Any) -> Exception:
        with pytest.raises((DefinitionError, WireError)) as raised:
            await from_mcp(session, **options)
        return raised.value

    error: Exception = way.hold(server, use)
    return error


@IN_MEMORY
@pytest.mark.requirement("from-mcp-hostile-lists")
@pytest.mark.parametrize(
    ("server", "reason"),
    [
        ("looping", "a cursor came twice"),
        ("endless", "more than 100 pages"),
        ("crowded", "more than 10,000 tools"),
        ("mute", "not all tools within 0.2 seconds"),
    ],
)
def test_a_list_that_has_no_end_is_refused(way: Way, server: str, reason: str) -> None:
    seconds = 0.2 if server == "mute" else 60
    error = refusal(way, server, timeout=seconds)
    assert (type(error), str(error)) == (WireError, f"mcp: tools/list: {reason}")


@IN_MEMORY
@pytest.mark.requirement("from-mcp-hostile-lists")
def test_a_name_that_shadows_another_is_refused(way: Way) -> None:
    error = refusal(way, "shadowing")
    assert isinstance(error, DefinitionError)
    fix = "do not trust the server, or have it rename one"
    assert error.faults == (
        Fault("tools[2] pay", "name", "reads the same as that of tools[0]", fix),
        Fault("tools[3] \uff21sk", "name", "reads the same as that of tools[1]", fix),
    )


@IN_MEMORY
@pytest.mark.requirement("from-mcp-hostile-lists")
def test_a_tool_with_hidden_characters_is_refused_by_name(way: Way) -> None:
    async def use(session: Any) -> Any:
        tools = await from_mcp(session)
        return [tool.name for tool in tools], tools.refusals

    assert way.hold("hidden", use) == (
        ["ask"],
        (
            Fault(
                "pa_y",
                "name",
                "holds a zero-width character (U+200B ZERO WIDTH SPACE)",
                "remove it",
            ),
            Fault(
                "say",
                "description",
                "holds a tag character (U+E0041 TAG LATIN CAPITAL LETTER A)",
                "remove it",
            ),
        ),
    )


@IN_MEMORY
@pytest.mark.requirement("from-mcp-lock")
def test_a_tool_that_changes_after_it_was_listed_is_held_to_what_was_listed(way: Way) -> None:
    async def use(session: Any) -> Any:
        tools = await from_mcp(session)
        await session.session.list_tools()  # from now on the client checks by the wider schema
        outcome = await tools.call("pay")
        return outcome, tools["pay"].output_schema

    outcome, schema = way.hold("changing", use)
    assert schema.json_schema(mode="output")["properties"]["degrees"] == {"type": "number"}
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect) == ("output_invalid", "done")
    assert [issue.path for issue in outcome.issues] == [("degrees",)]


@EACH_WAY
@pytest.mark.requirement("from-mcp-hostile-results")
def test_whatever_a_server_answers_there_is_an_outcome_and_the_next_call_works(way: Way) -> None:
    in_memory = way.transport == "memory"

    async def use(session: Any) -> list[tuple[Any, ...]]:
        tools = await from_mcp(session)
        seen: list[tuple[Any, ...]] = []
        # Over stdio the client's reader takes minutes for a line of a hundred megabytes; see below.
        huge = ("huge", "huge_data") if in_memory else ()
        for name in ("fine", *huge, "deep", "odd", "silent", "fine"):
            # A call that is never answered runs into its timeout.
            seconds = {"deep": 1.0, "silent": 0.1}.get(name, 60.0)
            outcome = await tools[name].replace(timeout=seconds).call()
            kind, effect = getattr(outcome, "kind", "ok"), getattr(outcome, "effect", "")
            messages = [issue.message[-50:] for issue in getattr(outcome, "issues", ())]
            seen.append((name, kind, effect, messages, len(outcome.text) < 200))
        return seen

    large = [
        ("huge", "output_invalid", "done", [LIMIT], True),
        ("huge_data", "output_invalid", "done", [LIMIT], True),
    ]
    deep: Any = ("deep", "output_invalid", "done", ["nested deeper than 200 levels"], True)
    unread: Any = ("deep", "timeout", "unknown", [], True)  # the client's reader drops such a line
    odd = "content.0: not what its type says"
    assert way.hold("rude", use) == [
        ("fine", "ok", "", [], True),
        *(large if in_memory else []),
        deep if in_memory else unread,
        ("odd", "output_invalid", "done", [odd], True),
        ("silent", "timeout", "unknown", [], True),
        ("fine", "ok", "", [], True),
    ]


@pytest.mark.requirement("from-mcp-hostile-results")
@pytest.mark.parametrize("way", WAYS[2:], ids=[way.revision for way in WAYS[2:]])
def test_a_server_that_dies_in_a_call_is_a_failure_of_that_call_and_the_next(
    way: Way, caplog: pytest.LogCaptureFixture
) -> None:
    async def use(session: Any) -> list[tuple[Any, ...]]:
        tools = await from_mcp(session)
        outcomes = [await tools.call(name) for name in ("dying", "fine")]
        return [(one.kind, one.effect) for one in outcomes if isinstance(one, Err)]

    assert way.hold("rude", use) == [("runtime_error", "unknown")] * 2
    said = [one.getMessage() for one in caplog.records if one.name == "toolhaft"]
    assert said == [
        f"tool {name} failed: error -32000: Connection closed (id 000000000000)"
        for name in ("dying", "fine")
    ]


LIMITED = """
import asyncio, os, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
from mcp import Client, stdio_client
from tests.imports.mcp.servers import command
from toolhaft import from_mcp

async def main():
    with open(os.devnull, "w") as server_log:
        async with Client(stdio_client(command("rude"), server_log)) as client:
            tools = await from_mcp(client, timeout=3.0)
            outcome = await tools.call("huge")
            most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
            print(outcome.kind, outcome.effect, "small" if most < 600 else most)

asyncio.run(main())
"""


@pytest.mark.requirement("from-mcp-hostile-results")
@pytest.mark.skipif(not WHOLE, reason="ten seconds; make from-mcp")
def test_a_hundred_megabytes_over_stdio_end_in_time_and_in_bounded_memory() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LIMITED],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=60,
        check=False,
    )
    assert done.stdout in ("timeout unknown small\n", "output_invalid done small\n"), done.stderr


def test_a_page_is_asked_for_past_the_cache_of_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    class Session:
        def __init__(self) -> None:
            self.session = self

        async def list_tools(self, **params: Any) -> Any:
            raise ConnectionError("the key is sk-live-1")

    async def listed() -> Exception:
        with pytest.raises(WireError) as raised:
            await listing.list_tools(Session(), 1.0)
        return raised.value

    error = asyncio.run(listed())
    assert str(error) == "mcp: tools/list: the server does not answer (ConnectionError)"
    assert isinstance(error.__cause__, ConnectionError)


@pytest.mark.requirement("from-mcp-hostile-lists")
@pytest.mark.parametrize("depth", [60, 300, 900])
def test_a_schema_that_is_nested_too_deep_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, depth: int
) -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"x": schema}}
    listed = [
        Tool(name="fine", description="Do fine.", input_schema={"type": "object"}),
        Tool(name="deep", description="Go down.", input_schema=schema),
        Tool(name="far", description="Go up.", input_schema={}, output_schema=schema),
    ]

    async def list_tools(*_: Any, **__: Any) -> ListToolsResult:
        return ListToolsResult(tools=listed)

    async def use(client: Any) -> tuple[list[str], set[str]]:
        monkeypatch.setattr(ClientSession, "list_tools", list_tools)
        tools = await from_mcp(client)
        return [each.name for each in tools], {fault.tool for fault in tools.refusals}

    assert WAYS[0].hold("shop", use) == (["fine"], {"deep", "far"})
