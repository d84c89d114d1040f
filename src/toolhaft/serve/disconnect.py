"""Cancel a handler whose client has gone away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from toolhaft.serve.respond import Receive

__all__ = ["Client", "cancelled_without_client"]

# Most calls end sooner, and cost no task that watches their connection.
PATIENCE_SECONDS: Final = 0.05


class Client:
    """The other end of a connection."""

    is_gone = False


@asynccontextmanager
async def cancelled_without_client(receive: Receive, *, is_kept: bool) -> AsyncGenerator[Client]:
    """Cancel the block when the client closes its connection, and end it without an exception.

    A call that is kept under an idempotency key goes on: its client reads the answer later.
    """
    client = Client()
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    watching: list[asyncio.Task[None]] = []

    async def watch() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        client.is_gone = True
        if task is not None:
            task.cancel()

    if is_kept:
        yield client
        return
    timer = loop.call_later(PATIENCE_SECONDS, lambda: watching.append(loop.create_task(watch())))
    try:
        yield client
    except asyncio.CancelledError:
        if not client.is_gone or task is None or task.uncancel():
            raise
    finally:
        timer.cancel()
        for one in watching:
            one.cancel()
