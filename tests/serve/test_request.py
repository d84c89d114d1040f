"""A coroutine that has begun ends at once, or as if it had been awaited from the start."""

from __future__ import annotations

import asyncio

import pytest

from toolhaft.serve.request import Begun

pytestmark = pytest.mark.requirement("serve-hostile")


async def read(events: list[str], waits: int) -> str:
    try:
        for number in range(waits):
            await asyncio.sleep(0.001 * number)
    except asyncio.CancelledError:
        events.append("cancelled")
        raise
    finally:
        events.append("ended")
    return "body"


def test_what_never_waits_is_done_at_once() -> None:
    begun = Begun(read([], 0))
    assert (begun.is_done, begun.result) == (True, "body")


@pytest.mark.parametrize("waits", [1, 2, 5])
def test_what_waits_is_awaited_to_its_end(waits: int) -> None:
    async def run() -> str:
        return await Begun(read([], waits))

    assert asyncio.run(run()) == "body"


def test_what_raises_raises_where_it_stands() -> None:
    async def fail(waits: int) -> None:
        await asyncio.sleep(0) if waits else None
        raise LookupError

    with pytest.raises(LookupError):
        Begun(fail(0))

    async def run() -> None:
        await Begun(fail(1))

    with pytest.raises(LookupError):
        asyncio.run(run())


def test_a_timeout_cancels_what_waits() -> None:
    events: list[str] = []

    async def run() -> None:
        begun = Begun(read(events, 10_000))
        async with asyncio.timeout(0.01):
            await begun

    with pytest.raises(TimeoutError):
        asyncio.run(run())
    assert events == ["cancelled", "ended"]
