"""The tools of a server of the official package, by a session of the official client."""

from __future__ import annotations

import asyncio
import json
import math
from typing import Any

import pytest
from mcp import Client
from mcp.server import MCPServer

pytest.importorskip("mcp", reason="mcp is not installed")

from tests.imports.mcp.servers import BEGUN, DEGREES, WAYS, WEATHER, Way
from toolhaft import DefinitionError, Err, Ok, from_mcp
from toolhaft.call.progress import Progress, report_to
from toolhaft.content import Audio, File, Image, ResourceLink
from toolhaft.errors import Fault
from toolhaft.imports.imported import LeftOut
from toolhaft.imports.mcp import calls
from toolhaft.review.lock import LockError, definition_of, without_rules, write_lock

pytestmark = pytest.mark.usefixtures("known_error_ids")
EACH_WAY = pytest.mark.parametrize("way", WAYS, ids=["-".join(way) for way in WAYS])
IN_MEMORY = pytest.mark.parametrize("way", WAYS[:2], ids=[way.revision for way in WAYS[:2]])
WITHHELD = (
    "The tool ran, but its result was not valid and is withheld (id 000000000000): "
    "do not repeat the call."
)
FAILED = "The tool failed (id 000000000000) and may have taken effect: do not repeat the call."
UNSENT = "The tool failed (id 000000000000) before it did anything. You may try once more."
ASKED = {
    "2026-07-28": (
        "tool_error", "unknown", "The tool asked for further input, which nobody here can give."
    ),
    "2025-11-25": ("runtime_error", "unknown", FAILED),  # whose results have no such kind
}  # fmt: skip


def told(outcome: Ok[Any] | Err) -> tuple[Any, ...]:
    if isinstance(outcome, Ok):
        return outcome.value, outcome.json, outcome.content
    return outcome.kind, outcome.effect, outcome.text


async def pass_turns(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


@EACH_WAY
@pytest.mark.requirement("from-mcp-tools")
@pytest.mark.requirement("from-mcp-errors")
def test_a_servers_tools_are_ours_and_each_answer_is_an_outcome(way: Way) -> None:
    async def use(session: Any) -> dict[str, Any]:
        tools = await from_mcp(session)
        seen: dict[str, Any] = {
            "names": [tool.name for tool in tools],
            "weather": without_rules({"": definition_of(tools["weather.find"])})[""],
            "same bytes": json.dumps(tools["weather.find"].input_schema.json_schema())
            == json.dumps(WEATHER),
            "left out": tools.left_out,
            "refusals": tools.refusals,
        }
        for city in ("Paris", "Oslo", "Bonn", "wrong", "missing"):
            seen[city] = told(await tools.call("weather.find", {"city": city}))
        for how in ("said", "refused", "internal", "zero", "late", "asks", "crash"):
            seen[how] = told(await tools.call("fail", {"how": how}))
        seen["look up"] = told(await tools.call("look_up"))
        seen["show"] = (await tools.call("show")).unwrap()
        seen["no city"] = told(await tools.call("weather.find", {"town": "Paris"}))
        return seen

    weather = {
        "name": "weather.find",
        "title": "Weather",
        "description": "Find the weather of a city.",
        "input": WEATHER,
        "output": DEGREES,
        "annotations": {"title": "Find the weather", "readOnlyHint": True},
    }
    image = Image(b"hello", "image/png")
    bonn = {"degrees": 8, "notes": [None, {"x": 1}]}
    names = ["weather.find", "look_up", "show", "fail", "copy", "wait"]
    assert way.hold("shop", use) == {
        "names": names,
        "weather": weather,
        # For the older revision the server's own package sorts the keys.
        "same bytes": way.revision == "2026-07-28",
        "left out": (LeftOut("weather.find", "_meta"),),
        "refusals": (
            Fault(
                "linked",
                "inputSchema",
                "JSON Schema: schema: $ref points outside this schema: "
                "https://example.org/schema.json; write a JSON pointer into this schema, such as "
                '"#/$defs/name"',
                "correct the schema",
            ),
        ),
        "Paris": ({"degrees": 21.5}, {"degrees": 21.5}, "21 degrees"),
        "Oslo": ({"degrees": 3}, {"degrees": 3}, '{"degrees":3}'),
        "Bonn": (bonn, bonn, ("as seen", image)),
        "wrong": ("output_invalid", "done", WITHHELD),
        "missing": ("output_invalid", "done", WITHHELD),
        "said": ("tool_error", "unknown", "no such city\n\\u202e"),
        "refused": (
            "invalid_input",
            "none",
            "Please rewrite the input with valid arguments. Errors: how must be another than '…'",
        ),
        "internal": ("runtime_error", "unknown", FAILED),
        "zero": ("runtime_error", "unknown", FAILED),
        "late": (
            "timeout",
            "unknown",
            "The tool did not finish in time and may have taken effect: do not repeat the call.",
        ),
        "asks": ASKED[way.revision],
        "crash": ("runtime_error", "unknown", FAILED),
        "look up": ("one\ntwo", "one\ntwo", "one\ntwo"),
        "show": [
            "see:",
            image,
            Audio(b"hello", "audio/wav"),
            File("ä".encode(), "text/plain", uri="file:///a.txt"),
            File(b"hello", "application/zip", uri="file:///a.bin"),
            ResourceLink("https://example.org/r", "report", "All of it", "text/html"),
        ],
        "no city": (
            "invalid_input",
            "none",
            "Please rewrite the input with valid arguments. Errors: city: required; town: unknown",
        ),
    }


@EACH_WAY
@pytest.mark.requirement("from-mcp-progress")
def test_progress_and_cancellation_pass_through_and_the_session_goes_on(way: Way) -> None:
    async def use(session: Any) -> Any:
        tools = await from_mcp(session)
        heard: list[Progress] = []
        with report_to(heard.append):
            copied = (await tools.call("copy")).text
        begun = asyncio.Event()
        BEGUN.append(begun)
        waiting = asyncio.create_task(tools.call("wait"))
        if way.transport == "memory":
            await begun.wait()
        else:
            await tools.call("copy")  # which the server reads after it
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return heard, copied, (await tools.call("look_up")).text

    steps = [Progress("copy", number, 3, f"file {number}") for number in (1, 2, 3)]
    assert way.hold("shop", use) == (steps, "copied", "one\ntwo")


@IN_MEMORY
@pytest.mark.requirement("from-mcp-tools")
def test_the_session_of_a_client_does_as_the_client_does(way: Way) -> None:
    async def use(client: Any) -> Any:
        tools = await from_mcp(client.session)
        asked = await tools.call("fail", {"how": "asks"})
        return [tool.name for tool in tools][:2], told(asked)

    assert way.hold("shop", use) == (["weather.find", "look_up"], ASKED[way.revision])


@pytest.mark.requirement("from-mcp-loops")
def test_a_tool_can_be_called_from_every_thread_and_loop() -> None:
    async def use(client: Any) -> Any:
        tools = await from_mcp(client)
        begun, home = asyncio.Event(), asyncio.get_running_loop()
        BEGUN.append(begun)
        heard: list[Progress] = []

        async def cancel_elsewhere() -> str:
            # Before, while and after this loop hears that the call has begun.
            for turns in range(6):
                begun.clear()
                waiting = asyncio.create_task(tools.call("wait"))
                await pass_turns(3)  # it is sent
                asyncio.run_coroutine_threadsafe(begun.wait(), home).result(5)
                await pass_turns(turns)
                waiting.cancel()
                await asyncio.wait({waiting}, timeout=5)
                assert waiting.cancelled(), turns
            return (await tools.call("look_up")).text

        def call_without_a_loop() -> str:
            with report_to(heard.append):
                return tools.call_sync("copy").text

        texts = await asyncio.gather(
            asyncio.to_thread(asyncio.run, cancel_elsewhere()),
            asyncio.to_thread(call_without_a_loop),
        )
        return texts, len(heard), tools

    texts, steps, tools = WAYS[0].hold("shop", use)
    assert (texts, steps) == (["one\ntwo", "copied"], 3)
    assert told(tools.call_sync("look_up")) == ("runtime_error", "none", UNSENT)


@pytest.mark.requirement("from-mcp-loops")
def test_a_call_that_blocks_the_loop_that_it_needs_is_never_sent(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(calls, "PATIENCE", 0.05)

    async def use(session: Any) -> Any:
        tools = await from_mcp(session)
        BEGUN.append(asyncio.Event())
        blocked = told(tools.call_sync("wait"))
        await tools.call("copy")  # whatever was sent before has begun by then
        return blocked, BEGUN[-1].is_set()

    assert WAYS[0].hold("shop", use) == (("runtime_error", "none", UNSENT), False)
    [record] = [one for one in caplog.records if one.name == "toolhaft"]
    assert record.exc_info is not None
    assert str(record.exc_info[1]) == calls.BLOCKED


@pytest.mark.requirement("from-mcp-lock")
def test_a_lock_of_one_revision_holds_in_the_other() -> None:
    async def lock(session: Any) -> dict[str, Any]:
        return write_lock(await from_mcp(session))

    locks = [way.hold("shop", lock) for way in WAYS[:2]]
    assert locks[0] == locks[1]


@IN_MEMORY
@pytest.mark.requirement("from-mcp-lock")
def test_what_is_not_as_it_was_locked_is_refused_by_name_until_a_new_lock(
    way: Way, tmp_path: Any
) -> None:
    async def use(session: Any) -> Any:
        first = await from_mcp(session)
        lock = write_lock(first)
        path = tmp_path / "toolhaft.lock"
        path.write_text(json.dumps(lock))
        changed = await from_mcp(session, lock=path)
        accepted = await from_mcp(session)
        again = await from_mcp(session, lock=write_lock(accepted))
        return [tool.name for tool in changed], changed.refusals, [tool.name for tool in again]

    fix = "look at what it is now, and accept it with a new lock"
    kept, refusals, again = way.hold("changing", use)
    assert (kept, again) == (["steady"], ["steady", "pay", "new"])
    assert refusals == (
        Fault("gone", "", "gone", fix),
        Fault("new", "", "not in the lock", fix),
        Fault("pay", "", "changed: output", fix),
    )


def test_a_lock_that_cannot_be_used_says_so() -> None:
    async def use(session: Any) -> None:
        with pytest.raises(LockError, match="not a lock of version 1"):
            await from_mcp(session, lock={"tools": {}})
        neither: Any = 5
        with pytest.raises(LockError, match="neither a path nor its data"):
            await from_mcp(session, lock=neither)

    WAYS[0].hold("shop", use)


@pytest.mark.parametrize("wrong", [None, "https://example.org/mcp", object()])
@pytest.mark.requirement("from-mcp-faults")
def test_what_is_no_session_is_refused_with_what_was_expected(wrong: Any) -> None:
    with pytest.raises(DefinitionError) as raised:
        asyncio.run(from_mcp(wrong))
    fix = "pass an open mcp.ClientSession or mcp.Client; of FastMCP's client its .session"
    reason = f"{type(wrong).__name__} is not a session of the official client"
    assert raised.value.faults == (Fault("from_mcp", "session", reason, fix),)


@pytest.mark.requirement("from-mcp-faults")
def test_a_server_is_no_session_and_a_client_must_be_open() -> None:
    server = MCPServer("shop")
    fix = "pass an open mcp.ClientSession or mcp.Client; of FastMCP's client its .session"
    for wrong, reason, mend in (
        (server, "MCPServer is not a session of the official client", fix),
        (Client(server), "the client is not open", "open it by async with"),
    ):
        with pytest.raises(DefinitionError) as raised:
            asyncio.run(from_mcp(wrong))
        assert raised.value.faults == (Fault("from_mcp", "session", reason, mend),)


@pytest.mark.requirement("from-mcp-faults")
@pytest.mark.parametrize("wrong", ["60", True, 0, -1, math.nan, math.inf])
def test_a_timeout_is_a_positive_number(wrong: Any) -> None:
    with pytest.raises(DefinitionError) as raised:
        asyncio.run(from_mcp(Client(MCPServer("shop")), timeout=wrong))
    reason, fix = "not a positive number of seconds", "use a number, or None for no limit"
    assert raised.value.faults == (Fault("from_mcp", "timeout", reason, fix),)


@pytest.mark.requirement("from-mcp-faults")
@pytest.mark.parametrize("wrong", ["1", True, 0, 1.5, None])
def test_the_most_bytes_of_a_result_are_a_whole_number(wrong: Any) -> None:
    with pytest.raises(DefinitionError) as raised:
        asyncio.run(from_mcp(Client(MCPServer("shop")), max_result_bytes=wrong))
    reason, fix = "not a whole number of at least 1", "use a number of bytes, or leave it out"
    assert raised.value.faults == (Fault("from_mcp", "max_result_bytes", reason, fix),)
