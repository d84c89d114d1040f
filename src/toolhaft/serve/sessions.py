"""MCP over streamable HTTP: bodies are read strictly before the SDK's session manager has them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolhaft.serve.access import Access
from toolhaft.serve.connection import CLIENT_GONE, KeptAlive, WhileConnected
from toolhaft.serve.context import Caller
from toolhaft.serve.guard import require_json
from toolhaft.serve.limits import Limits
from toolhaft.serve.mcp import CALLER
from toolhaft.serve.messages import NEWEST_REVISION, BadMessage, read_message
from toolhaft.serve.request import Head, read_body, replay, require_method
from toolhaft.serve.responses import Receive, Scope, Send, respond_json

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

__all__ = ["McpSessions"]

NEWEST: Final = NEWEST_REVISION.encode()
# The media types that a client of a stream must accept, as the official clients send them.
STREAM: Final = (b"application/json", b"text/event-stream")
ENDLESS: Final = "subscriptions/listen"


class _Managers(NamedTuple):
    """The session managers of one server: of all requests, and of requests with a single answer."""

    of_all: StreamableHTTPSessionManager
    of_single: StreamableHTTPSessionManager


class McpSessions:
    """The endpoint `/mcp`, on the SDK's session manager.

    A `stateless` one keeps no sessions of older clients: any process answers any request, asks
    nobody, and pushes nothing. The newer revision has no sessions.

    The SDK's session manager runs in a task that begins with the first request: an application
    that this one is mounted in need not know of it.
    """

    def __init__(self, server: Server[Any], limits: Limits, *, stateless: bool) -> None:
        self._server = server
        self._stateless = stateless
        self._limits = limits
        self._loop: asyncio.AbstractEventLoop | None = None
        self._started: asyncio.Future[_Managers]
        self._stop: asyncio.Event
        self._task: asyncio.Task[None]

    async def answer(
        self, head: Head, scope: Scope, receive: Receive, send: Send, caller: Caller
    ) -> None:
        """Answer one request that the guard let pass.

        Raises:
            Refused: Its body is not declared as JSON, too long or too slow; or its method (405) is
                for sessions, and there are none.
        """
        require_method(head, *(("POST",) if self._stateless else ("POST", "GET", "DELETE")))
        connection, is_single = receive, False
        if head.method == "POST":
            require_json(head)
            body = await read_body(head, receive, self._limits)
            try:
                message = read_message(body, self._limits.body_bytes)
            except BadMessage as fault:
                await respond_json(send, fault.answer(), 400)
                return
            is_single = _is_single(head, message)
            receive = replay(body, connection)
        managers = await self._managers()
        token = CALLER.set(caller)
        try:
            if not is_single:
                await managers.of_all.handle_request(_trimmed(scope), receive, send)
                return
            async with WhileConnected(connection, is_kept=False) as client, KeptAlive(send) as kept:
                await managers.of_single.handle_request(_trimmed(scope), receive, kept)
            if client.is_gone:
                Access.of(scope).status = CLIENT_GONE
        finally:
            CALLER.reset(token)

    async def _managers(self) -> _Managers:
        loop = asyncio.get_running_loop()
        if self._loop is not loop or self._task.done():  # a handler may have ended it
            self._loop, self._started, self._stop = loop, loop.create_future(), asyncio.Event()
            self._task = loop.create_task(self._run())
        return await asyncio.shield(self._started)

    async def _run(self) -> None:
        managers = _Managers(self._manager(answers_once=False), self._manager(answers_once=True))
        async with managers.of_all.run(), managers.of_single.run():
            self._started.set_result(managers)
            await self._stop.wait()

    def _manager(self, *, answers_once: bool) -> StreamableHTTPSessionManager:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
        from mcp.server.transport_security import TransportSecuritySettings

        return StreamableHTTPSessionManager(
            self._server,
            json_response=answers_once,
            stateless=self._stateless,
            # The guard has checked the host already, and exactly.
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
            max_request_body_size=self._limits.body_bytes,
            max_sessions=self._limits.connections,
        )

    async def end_streams(self) -> None:
        """End the streams of sessions, which have no end of their own."""
        if not self._stateless:
            await self.close()

    async def close(self) -> None:
        """End every session; a request that comes later finds none."""
        if self._loop is asyncio.get_running_loop():
            self._loop = None
            self._stop.set()
            await asyncio.wait({self._task})


def _is_single(head: Head, message: dict[str, Any]) -> bool:
    """Whether a request has one answer and no news of its progress, and a stream is no use to it.

    Older clients have sessions, and one that does not accept both forms is refused by the SDK.
    """
    if (head.get(b"mcp-protocol-version") or b"") < NEWEST or message.get("method") == ENDLESS:
        return False
    accepted = head.get(b"accept") or b""
    meta = message.get("params", {}).get("_meta")
    asks_for_news = isinstance(meta, dict) and "progressToken" in meta
    return all(form in accepted for form in STREAM) and not asks_for_news


def _trimmed(scope: Scope) -> Scope:
    """Strip header values, which some servers pass on with spaces around them."""
    headers = [(name, value.strip()) for name, value in scope["headers"]]
    return {**scope, "headers": headers}
