"""The ASGI application: the guard, then tools over HTTP or MCP; health, and the drain."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from toolhaft.call import report
from toolhaft.call.interrupts import CTRL_C_IS_A_SIGNAL
from toolhaft.serve.access import ACCESS, Access, name_caller
from toolhaft.serve.approval import Approvals
from toolhaft.serve.approvers import fault_of_context
from toolhaft.serve.auth import name_principal, name_token_owner
from toolhaft.serve.catalogue import Catalogue
from toolhaft.serve.context import Caller, in_trace, make_context
from toolhaft.serve.decisions import APPROVALS, Decisions
from toolhaft.serve.guard import Guard
from toolhaft.serve.http import TOOL, HttpTools
from toolhaft.serve.idempotency import Idempotency
from toolhaft.serve.life import Life, LifeFailed, with_life
from toolhaft.serve.mcp import Bridge
from toolhaft.serve.options import Options, require_options
from toolhaft.serve.reload import Reloader
from toolhaft.serve.request import READING, Head, require_method
from toolhaft.serve.responses import (
    STOPPED,
    Problem,
    Receive,
    Refused,
    Scope,
    Send,
    respond_json,
    respond_problem,
)
from toolhaft.serve.sessions import McpSessions

if TYPE_CHECKING:
    from toolhaft.serve.page.page import Page

__all__ = ["App"]

CLOSE: Final = (b"connection", b"close")
PATHS: Final = ("/approvals", "/health", "/ready", "/mcp", "/tools", "/openapi.json")
MCP: Final = (b"/mcp", b"/mcp/")
ROUTES: Final = {b"/mcp/": "/mcp"} | {path.encode(): path for path in PATHS}


class _Sending:
    """The `send` of one request: whether its response began, and whether its connection ends."""

    __slots__ = ("_access", "_app", "_send", "closes", "started")

    def __init__(self, send: Send, app: App, access: Access) -> None:
        self._send = send
        self._app = app
        self._access = access
        self.closes = False
        self.started = False

    async def __call__(self, message: Any) -> None:
        self.started = True
        if message["type"] == "http.response.start":
            self._access.status = message["status"]
            if self.closes or self._app.draining:
                message = {**message, "headers": [*message["headers"], CLOSE]}
        await self._send(message)


class App:
    """An ASGI 3 application that serves a catalogue.

    Raises:
        TypeError, ValueError: An option is none, such as a host with a scheme.
    """

    def __init__(self, catalogue: Catalogue, options: Options) -> None:
        require_options(options)
        self._guard = Guard(options.hosts)
        self._auth = options.auth
        self._context = options.context
        self._is_ready = options.is_ready
        self._life = _life_of(options, catalogue)
        self.failed = False
        self._decisions = _decisions_of(options, catalogue)
        self._http = HttpTools(
            catalogue,
            options.about,
            options.limits,
            Idempotency(options.state),
            self._decisions,
            token=options.auth is not None,
        )
        self._page = self._page_of(options, catalogue)
        self._approvals = Approvals(options.key, options.state)
        self._reloader = None if options.reload is None else Reloader(catalogue, options.reload)
        listen = None if self._reloader is None else self._reloader.listen
        bridge = Bridge(
            catalogue,
            self.ask_caller,
            self._approvals,
            listen,
            self._decisions,
            options.offers,
            options.caching,
        )
        self.server = bridge.server(options.about)
        if self._reloader is not None:
            self._reloader.watch(self.server, bridge.offering)
        self._mcp = McpSessions(self.server, options.limits, stateless=options.stateless)
        self._running = 0
        self._idle = asyncio.Event()
        self.draining = False

    def _page_of(self, options: Options, catalogue: Catalogue) -> Page | None:
        if options.page is None:
            return None
        from toolhaft.serve.page.page import Page

        given = options.page, catalogue, options.about, options.limits, options.state
        return Page(*given, self._decisions, self.ask_caller)

    async def ask_caller(self, scope: Scope | None) -> Caller:
        """Find out who calls: context and token; over stdio there is no request."""
        function = self._context
        if self._life is not None:
            try:
                function = with_life(function, await self._life.enter())
            except LifeFailed as failed:
                raise Refused(500, str(failed)) from None
        context = await make_context(function, scope)
        return Caller(context, name_principal(scope), name_token_owner(scope))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            access = scope[ACCESS] = Access(scope["method"])
            try:
                await self._answer(scope, receive, _Sending(send, self, access), access)
            finally:
                access.write()
        else:
            await send({"type": "websocket.close"})

    async def _answer(self, scope: Scope, receive: Receive, send: _Sending, access: Access) -> None:
        counts = scope["method"] == "POST"
        self._running += counts
        was_a_signal = CTRL_C_IS_A_SIGNAL.set(True)
        try:
            head = Head(scope)
            # A client that expects "100 Continue" and is rejected may send the body or not: the
            # data that follow cannot be read, so the connection is closed.
            send.closes = b"expect" in head.headers
            is_visit = self._page is not None and self._page.is_visited(head)
            self._guard.check(head, scope, is_visit=is_visit)
            if b"traceparent" in head.headers:
                with in_trace(head):
                    await self._route(head, scope, receive, send, access)
            else:
                await self._route(head, scope, receive, send, access)
        except Refused as refused:
            send.closes |= refused.problem.closes
            access.reason = refused.problem.detail
            await respond_problem(send, refused.problem)
        except asyncio.CancelledError:
            if send.started or not self.draining:
                raise
            await respond_problem(send, STOPPED)  # the drain gives up what runs
        except Exception as error:
            error_id = access.error_id = report.log_part("the server", error)
            if send.started:
                raise
            words = f"the server failed (id {error_id})"
            await respond_problem(send, Problem(500, words, {"error_id": error_id}))
        finally:
            CTRL_C_IS_A_SIGNAL.reset(was_a_signal)
            self._running -= counts
            if not self._running:
                self._idle.set()

    async def _route(
        self, head: Head, scope: Scope, receive: Receive, send: Send, access: Access
    ) -> None:
        access.route = ROUTES.get(head.path) or _pattern_of(head.path)
        if head.path in (b"/health", b"/ready"):
            require_method(head, *READING)
            status = "ok" if head.path == b"/health" else await self._ask_status()
            await respond_json(send, {"status": status}, 200 if status == "ok" else 503)
            return
        if self._page is not None and self._page.has(head.path):
            await self._page.answer(head, scope, receive, send, access)
            return
        is_approval = head.path == APPROVALS or head.path.startswith(APPROVALS + b"/")
        if self._decisions is not None and is_approval:
            # An approver has a token of its own, which calls nothing.
            access.caller = approver = await self._decisions.who_decides(scope)
            if approver is not None:
                await self._decisions.answer(head, receive, send, None, approver)
                return
        if self._auth is not None:
            if head.path == self._auth.metadata_path:
                require_method(head, *READING)
                await respond_json(send, self._auth.metadata)
                return
            # The owner of the token, for the SDK and for the program's context.
            scope["user"] = await self._auth.require_user(head)
        caller = await self.ask_caller(scope)
        access.caller = name_caller(caller)
        if self._decisions is not None and is_approval:
            await self._decisions.answer(head, receive, send, caller, None)
        elif head.path in MCP:
            await self._mcp.answer(head, scope, receive, send, caller)
        else:
            await self._http.answer(head, receive, send, caller, access)

    async def _ask_status(self) -> str:
        """Return the status of `/ready`: whether calls can be answered."""
        if self.draining:
            return "stopping"
        return "ok" if self._is_ready is None or await self._is_ready() else "unavailable"

    async def drain(self) -> None:
        """Wait for running calls; new ones are answered too, and their connections closed.

        Then end the streams of older clients, which have no end of their own.
        """
        self.draining = True
        self.stop_waiting()
        while self._running:
            self._idle.clear()
            await self._idle.wait()
        if self._decisions is not None:
            await self._decisions.drain()
        await self._mcp.end_streams()

    def stop_waiting(self) -> None:
        """End what waits for clients: questions to older ones, streams of changes to newer ones."""
        self._approvals.stop()
        if self._reloader is not None:
            self._reloader.listen.close()

    @asynccontextmanager
    async def living(self) -> AsyncGenerator[None]:
        """Live within the block: in the lifespan, and watching files if the options ask for it."""
        if self._life is not None:
            await self._life.enter()
        looking = None if self._reloader is None else asyncio.ensure_future(self._reloader.run())
        try:
            yield
        finally:
            if looking is not None:
                looking.cancel()
            if self._life is not None:
                await self._life.leave()

    async def _live(self, receive: Receive, send: Send) -> None:
        """Follow the life of the server (ASGI's lifespan)."""
        await receive()  # its start
        stage = "startup"
        try:
            async with self.living():
                await send({"type": "lifespan.startup.complete"})
                await receive()  # its end
                stage = "shutdown"
                await self._mcp.close()
        except LifeFailed as error:
            self.failed = True
            await send({"type": f"lifespan.{stage}.failed", "message": str(error)})
            return
        await send({"type": "lifespan.shutdown.complete"})


def _pattern_of(path: bytes) -> str:
    """Return the route of a path with a part that varies; a dash for all others."""
    if path.startswith(TOOL):
        return "/tools/{tool}"
    return "/approvals/{id}" if path.startswith(APPROVALS + b"/") else "-"


def _life_of(options: Options, catalogue: Catalogue) -> Life | None:
    """Make the life of a server; without a function of contexts, tools get what it yields."""
    if options.lifespan is None:
        return None

    def check(value: Any) -> None:
        if options.context is None:
            catalogue.tools.check_context(value)
            if options.offers is not None:
                options.offers.check_context(value)

    return Life(options.lifespan, check)


def _decisions_of(options: Options, catalogue: Catalogue) -> Decisions | None:
    """Make the decisions of a server that has an approver.

    Raises:
        ValueError: There is no file for the calls that wait, or the context of a caller could not
            be made again.
    """
    decider, state = options.decider, options.state
    if decider is None:
        return None
    if state is None:
        raise ValueError("approver: calls wait in a file; pass state=")
    fault = fault_of_context(catalogue.tools, decider)
    if fault is not None:
        raise ValueError(fault)
    return Decisions(decider, state, catalogue, options.limits, options.key)
