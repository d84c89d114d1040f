"""Exceptions by which a handler steers its framework leave a call, and nothing else does."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta, tzinfo
from typing import Any

import msgspec
import pytest

from toolhaft import Err, ToolCall, Toolset, tool
from toolhaft.call.control_flow import passing
from toolhaft.observers.details import CallDetails, CallStarted

pytestmark = pytest.mark.requirement("frameworks-control-flow")


class Stop(Exception):
    """An exception that steers a framework."""


class StopNow(Stop):
    """One of its kinds."""


@tool
def stop(n: int = 0) -> str:
    """Stop."""
    raise StopNow(n)


@tool
async def stop_later() -> str:
    """Stop."""
    raise StopNow


@tool(timeout=20)
def stop_in_a_thread() -> str:
    """Stop."""
    raise StopNow


@tool(limit=1)
async def stop_in_turn() -> str:
    """Stop."""
    raise StopNow


@tool
async def stop_within() -> str:
    """Have another tool stop."""
    await Toolset([stop, stop_later]).call_all([ToolCall("1", "stop"), ToolCall("2", "stop")])
    return "never"


@tool
def stop_within_sync() -> str:
    """Have another tool stop."""
    stop_later.call_sync()
    return "never"


@tool
def fail() -> str:
    """Fail."""
    raise KeyError("x")


TOOLS = [stop, stop_later, stop_in_a_thread, stop_in_turn, stop_within, stop_within_sync]


@pytest.mark.parametrize("stopping", TOOLS)
def test_control_flow_passes_out_of_every_kind_of_call(stopping: Any) -> None:
    tools = Toolset([stopping])
    wire = tools.export("draft-2020-12")
    call = ToolCall(None, stopping.name)
    for run in (
        stopping.call_sync,
        lambda: tools.call_sync(stopping.name),
        lambda: wire.call_sync(call),
        lambda: asyncio.run(stopping.call()),
        lambda: asyncio.run(tools.call(stopping.name)),
        lambda: asyncio.run(wire.call(call)),
        lambda: asyncio.run(stopping.replace(requires_approval=True).prepare().call()),
        lambda: stopping.replace(requires_approval=True).prepare().call_sync(),
    ):
        with pytest.raises(StopNow), passing((Stop,)):
            run()


@pytest.mark.parametrize("stopping", TOOLS[:4])
def test_outside_of_the_block_it_is_a_failure_as_any_other(stopping: Any) -> None:
    with passing((Stop,)):
        pass
    outcome = stopping.call_sync()
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect) == ("runtime_error", "unknown")


def test_another_exception_is_an_outcome_within_the_block() -> None:
    with passing((Stop,)):
        outcome = fail.call_sync()
    assert isinstance(outcome, Err)
    assert outcome.kind == "runtime_error"


def test_a_class_that_lies_about_itself_does_not_pass() -> None:
    class Liar(Exception):
        @property  # type: ignore[misc]  # as a proxy overrides it
        def __class__(self) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
            return Stop

    @tool
    def lie() -> str:
        """Lie."""
        raise Liar

    with passing((Stop,)):
        assert isinstance(lie.call_sync(), Err)


def test_an_observer_is_told_of_the_end_of_a_call_that_was_left() -> None:
    told: list[str] = []

    class Observer:
        def started(self, call: CallStarted, /) -> Any:
            def finished(done: CallDetails) -> None:
                told.append(str(done.kind))

            return finished

    with pytest.raises(Stop), passing((Stop,)):
        Toolset([stop], observers=[Observer()]).call_sync("stop")
    assert told == ["cancelled"]


class Halting(tzinfo):
    """A zone that steers the host when a time in it is dumped."""

    def __init__(self) -> None:
        self.asked = 0

    def utcoffset(self, _: datetime | None, /) -> timedelta:
        self.asked += 1
        raise StopNow

    def dst(self, _: datetime | None, /) -> None:
        return None

    def tzname(self, _: datetime | None, /) -> None:
        return None


class Dated(msgspec.Struct):
    at: datetime
    days: set[int] | None = None


def test_what_a_dump_raises_passes_out_too_and_nothing_is_dumped_again() -> None:
    zone = Halting()
    dated = tool(
        lambda: Dated(datetime(2026, 1, 31, tzinfo=zone)),
        name="dated",
        description="Give a day.",
        output=Dated,
    )
    refused = dated.call_sync({})
    assert isinstance(refused, Err)
    assert refused.kind == "runtime_error"
    before = zone.asked
    with passing((Stop,)), pytest.raises(StopNow):
        dated.call_sync({})
    assert zone.asked == before + 1
