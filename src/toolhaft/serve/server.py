"""Run an application in uvicorn; at a signal answer the running calls, then end."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any, Final

from toolhaft.serve.app import App
from toolhaft.serve.extra import describe_lack
from toolhaft.serve.limits import Limits
from toolhaft.serve.protocol import DeadlineProtocol

try:
    from uvicorn import Config, Server
except ModuleNotFoundError:
    raise ImportError(f"toolhaft.serve: {describe_lack(('uvicorn',))}") from None

__all__ = ["Draining", "bind", "make_server"]

# After a drain that took too long: to answer what is given up.
LEAST_SECONDS: Final = 1


class Draining(Server):
    """A server that drains on the first signal to stop; a second Ctrl-C ends it at once."""

    def __init__(
        self, config: Config, app: App, limits: Limits, on_start: Callable[[], Any]
    ) -> None:
        super().__init__(config)
        self._app = app
        self._limits = limits
        self._on_start = on_start
        self._loop: asyncio.AbstractEventLoop | None = None
        self._main: asyncio.Task[Any] | None = None
        self._drain: asyncio.Task[None] | None = None
        self._reached = asyncio.Event()
        self.servers: list[asyncio.Server] = []
        self.interrupted = False

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        self._main = asyncio.current_task()
        self._loop = asyncio.get_running_loop()
        if self._app.draining:  # told to stop before
            self._begin_drain()
        with suppress(asyncio.CancelledError):
            await super().serve(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._reached.set()
        self._on_start()

    def stop(self) -> None:
        """Drain and end, told from another thread."""
        self.handle_exit(signal.SIGTERM, None)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        del frame
        self.interrupted |= sig == signal.SIGINT
        if self._app.draining:
            self.force_exit |= sig == signal.SIGINT
            self.should_exit |= self.force_exit
            if self.force_exit:
                self._call(self._abandon_start)
        else:
            self._app.draining = True
            self._call(self._begin_drain)

    def _call(self, function: Callable[[], object]) -> None:
        """Call a function in the loop, if that has begun and has not ended."""
        if self._loop is not None:
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(function)

    def _begin_drain(self) -> None:
        if self._drain is None:
            self._drain = asyncio.ensure_future(self._drain_and_exit())

    def _abandon_start(self) -> None:
        """End a server whose program does not get ready; nothing can have begun."""
        if self._main is not None and not self._reached.is_set():
            self._main.cancel()

    async def _drain_and_exit(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self._limits.drain_seconds):
                await self._reached.wait()
        self._abandon_start()
        if self._limits.drain_delay:
            await asyncio.sleep(self._limits.drain_delay)
        for server in self.servers:
            server.close()
        loop = asyncio.get_running_loop()
        end = loop.time() + self._limits.drain_seconds
        with suppress(TimeoutError):
            async with asyncio.timeout_at(end):
                await self._app.drain()
        # A call may have come since, over a connection that is open.
        self.config.timeout_graceful_shutdown = max(LEAST_SECONDS, int(end - loop.time()))
        self.should_exit = True


def bind(host: str, port: int) -> socket.socket:
    """Bind the socket that will be served.

    Raises:
        OSError: The address cannot be had, or the port is in use.
    """
    family, kind, number, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listening = socket.socket(family, kind, number)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(2048)
    except OSError:
        listening.close()
        raise
    return listening


def make_server(app: App, limits: Limits, on_start: Callable[[], Any]) -> Draining:
    """Make the server of an application; `on_start` is called when it can be reached."""
    config = Config(
        app,
        http=type("Protocol", (DeadlineProtocol,), {"limits": limits}),
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=None,
        log_level="critical",  # a line for each malformed request would fill the log
        access_log=False,  # URLs and clients are private
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=int(limits.idle_seconds),
        timeout_graceful_shutdown=LEAST_SECONDS,
    )
    return Draining(config, app, limits, on_start)
