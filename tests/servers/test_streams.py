"""Streamed turns through the official clients: collected, answered and sent back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.servers.cases import CASES, GOOD, PARALLEL
from tests.servers.clients import VENDORS, Vendor, vendors
from tests.servers.loopback import Loopback
from tests.servers.script import Call, Turn
from tests.servers.tools import TOOLS
from toolhaft import WireError, tool
from toolhaft.toolset.toolset import Toolset

HELLO, BYE = "How is the weather?", "Sunny, I would say."
BY_TARGET = {one.target: one for one in VENDORS}

Settings = dict[str, Any]


async def streamed(vendor: Vendor, client: Any, messages: list[Any], settings: Settings) -> Any:
    """Ask for a stream, as each SDK has it."""
    model = {"model": "m-test", **vendor.options, **settings}
    if vendor.target == "gemini":
        return await client.models.generate_content_stream(contents=messages, **model)
    if vendor.target == "openai":
        return await client.responses.create(input=messages, stream=True, **model)
    create = client.messages if vendor.target == "anthropic" else client.chat.completions
    return await create.create(messages=messages, stream=True, **model)


def streamed_sync(vendor: Vendor, client: Any, messages: list[Any], settings: Settings) -> Any:
    model = {"model": "m-test", **vendor.options, **settings}
    if vendor.target == "gemini":
        return client.models.generate_content_stream(contents=messages, **model)
    if vendor.target == "openai":
        return client.responses.create(input=messages, stream=True, **model)
    create = client.messages if vendor.target == "anthropic" else client.chat.completions
    return create.create(messages=messages, stream=True, **model)


@pytest.mark.unmeasured
@pytest.mark.requirement("stream-whole")
@pytest.mark.usefixtures("known_error_ids")
@vendors
@pytest.mark.parametrize("name", ["good", "repaired", "corrected", "parallel", "unknown"])
def test_a_streamed_conversation_is_taken_by_the_server_word_for_word(
    vendor: Vendor, name: str
) -> None:
    case = CASES[name]
    wire = TOOLS.export(vendor.target)
    messages: list[Any] = [vendor.said(HELLO)]

    async def held(url: str) -> list[str]:
        told: list[str] = []
        async with vendor.asynchronous(url) as client:
            for _ in [*case.turns, BYE]:
                events = await streamed(vendor, client, messages, wire.request)
                answer = await wire.answer(await wire.collect(events))
                messages.extend(answer.messages)
                told += [outcome.text for outcome in answer.outcomes]
        return told

    with Loopback(vendor.wire(), [*case.turns, Turn(text=BYE)]) as server:
        told = asyncio.run(held(server.url))
    assert server.refusals == []
    assert tuple(told) == case.told


@pytest.mark.requirement("stream-whole")
@vendors
def test_a_stream_that_is_not_asynchronous_is_taken_too(vendor: Vendor) -> None:
    wire = TOOLS.export(vendor.target)
    messages: list[Any] = [vendor.said(HELLO)]
    with (
        Loopback(vendor.wire(), [GOOD, Turn(text=BYE)]) as server,
        vendor.synchronous(server.url) as client,
    ):
        for _ in range(2):
            events = streamed_sync(vendor, client, messages, wire.request)
            messages += wire.answer_sync(wire.collect_sync(events)).messages
    assert server.refusals == []


@pytest.mark.requirement("stream-cut-short")
@vendors
def test_a_stream_that_is_cut_is_one_error_and_nothing_runs(vendor: Vendor) -> None:
    ran: list[int] = []

    @tool
    def pay(amount: int) -> None:
        """Pay."""
        ran.append(amount)

    wire = Toolset([pay]).export(vendor.target)
    calls = tuple(Call(f"call_{amount}", "pay", {"amount": amount}) for amount in range(4))
    with (
        Loopback(vendor.wire(), [Turn(calls, cut=True)]) as server,
        vendor.synchronous(server.url) as client,
    ):
        events = streamed_sync(vendor, client, [vendor.said(HELLO)], wire.request)
        with pytest.raises(WireError, match=r"missing; the stream stopped") as raised:
            wire.answer_sync(wire.collect_sync(events))
    assert (raised.value.provider, ran) == (vendor.target, [])


def of_responses(client: Any, messages: list[Any], settings: Settings) -> Any:
    return client.responses.stream(model="m-test", input=messages, **settings)


def of_chat(client: Any, messages: list[Any], settings: Settings) -> Any:
    return client.chat.completions.stream(model="m-test", messages=messages, **settings)


def of_messages(client: Any, messages: list[Any], settings: Settings) -> Any:
    return client.messages.stream(model="m-test", max_tokens=99, messages=messages, **settings)


@pytest.mark.parametrize(
    ("target", "opened"),
    [("openai", of_responses), ("openai-chat", of_chat), ("anthropic", of_messages)],
)
def test_the_events_of_the_sdks_own_helpers_are_taken_too(
    target: str, opened: Callable[..., Any]
) -> None:
    vendor = BY_TARGET[target]
    pytest.importorskip(vendor.sdk, reason=f"{vendor.sdk} is not installed")
    wire = TOOLS.export(vendor.target)
    messages: list[Any] = [vendor.said(HELLO)]
    with (
        Loopback(vendor.wire(), [PARALLEL, Turn(text=BYE)]) as server,
        vendor.synchronous(server.url) as client,
    ):
        for _ in range(2):
            with opened(client, messages, wire.request) as events:
                messages += wire.answer_sync(wire.collect_sync(events)).messages
    assert server.refusals == []
