"""Tools over the Model Context Protocol: a bridge to the official SDK's low-level server.

The target is chosen by the revision that the client speaks. In the newer form, one tool that
returns text would break the whole list of an older client.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from contextvars import ContextVar
from importlib.metadata import PackageNotFoundError, version
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolhaft.call import feedback
from toolhaft.call.outcome import Err, Ok
from toolhaft.call.progress import Progress, report_to_async
from toolhaft.call.types import ToolCall
from toolhaft.definition.targets import Target
from toolhaft.jsonio import jsontext
from toolhaft.serve.access import Access
from toolhaft.serve.approval import Approvals
from toolhaft.serve.catalogue import Catalogue
from toolhaft.serve.context import Caller
from toolhaft.serve.decisions import Decisions
from toolhaft.serve.document import About
from toolhaft.serve.mcp_offers import CACHING, Caching, FoundTools, Offering
from toolhaft.serve.messages import INTERNAL_ERROR, INVALID_PARAMS, NEWEST_REVISION
from toolhaft.serve.offers import Offers
from toolhaft.serve.responses import Refused, Scope
from toolhaft.toolset.export import Export
from toolhaft.toolset.internals import with_found
from toolhaft.toolset.toolset import Toolset

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from mcp.server.subscriptions import ListenHandler

__all__ = ["CALLER", "Bridge"]

# The caller of the request, where our own HTTP has found out already.
CALLER: ContextVar[Caller | None] = ContextVar("toolhaft_caller", default=None)
# Takes the ASGI scope of the request; None over stdio.
AskCaller: TypeAlias = Callable[["Scope | None"], Awaitable[Caller]]

PAGE: Final = 100
HEADER: Final = '"x-mcp-header"'


class Bridge:
    """Answers `tools/list` and `tools/call` from a catalogue.

    `ask_caller` returns the caller if it is not known yet: over the SDK's transports and stdio.
    With `listen`, clients are notified of lists that change.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        ask_caller: AskCaller,
        approvals: Approvals,
        listen: ListenHandler | None = None,
        decisions: Decisions | None = None,
        offers: Offers | None = None,
        caching: Caching = CACHING,
    ) -> None:
        self._caching = caching
        self._decisions = decisions
        self.offering = Offering(offers or Offers(Toolset()), self._caller, caching)
        self._catalogue = catalogue
        self._ask_caller = ask_caller
        self._approvals = approvals
        self._listen = listen
        self._found = FoundTools()

    def server(self, about: About) -> Server[Any]:
        """Make the server that the SDK's transports run."""
        from mcp.server.lowlevel import NotificationOptions, Server

        may_change = self._listen is not None
        changes = NotificationOptions(
            tools_changed=may_change or self._catalogue.defers,
            resources_changed=may_change,
            prompts_changed=may_change,
        )

        class ToolServer(Server[Any]):
            """A server that announces changes of its list to older clients too."""

            def create_initialization_options(self, *_: Any, **__: Any) -> Any:
                return super().create_initialization_options(changes)

        server = ToolServer(
            about.name,
            version=about.version or _version(),
            instructions=about.instructions,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_subscriptions_listen=self._listen,
            get_tool_input_schema=self._input_schema,
            **self.offering.handlers(may_change=may_change),
        )
        server.middleware[:] = map(_only_if_traced, server.middleware)
        return server

    async def _caller(self, context: Any) -> Caller:
        """Find out who calls.

        Raises:
            MCPError: The program's context refuses who calls, or failed.
        """
        from mcp import MCPError

        request = context.request
        try:
            scope = None if request is None else request.scope
            return CALLER.get() or await self._ask_caller(scope)
        except Refused as refused:
            raise MCPError(INTERNAL_ERROR, refused.problem.detail) from None

    async def _list_tools(self, context: Any, params: Any) -> Any:
        """Answer one page; the cursor is the name that it begins with."""
        wire = self._wire(context, await self._caller(context))
        request = dict(with_found(wire, self._found.of(context) or []).request)
        cursor = params.cursor if params is not None else None
        start = _place_of(cursor, request["tools"])
        if len(request["tools"]) > start + PAGE:
            request["nextCursor"] = request["tools"][start + PAGE]["name"]
        request["tools"] = request["tools"][start : start + PAGE]
        return {**request, **self._caching.marks(context)}

    async def _call_tool(self, context: Any, params: Any) -> Any:
        """Answer a call; over stdio, where no request is logged, write the line of the call."""
        access = Access.of(None if context.request is None else context.request.scope)
        try:
            return await self._call(context, params, access)
        finally:
            if context.request is None:
                access.write()

    async def _call(self, context: Any, params: Any, access: Access) -> Any:
        caller = await self._caller(context)
        wire = self._wire(context, caller)
        async with _progress(context):
            waits_here = self._decisions is not None
            if (
                params.request_state is not None
                and params.name in wire.originals
                and not waits_here
            ):
                outcome = await self._approvals.resume(self._catalogue.tools, params, caller)
                if not isinstance(outcome, Ok | Err):  # nobody has answered yet
                    access.tool, access.kind = wire.originals[params.name], "approval_required"
                    return outcome
            else:
                called = None, params.name, params.arguments
                call = ToolCall(*called, principal=caller.principal)
                outcome = await wire.call(call, context=caller.context)
                await self._found.add(context, wire, outcome)
            known = wire.originals.get(params.name)
            access.note(known, outcome)
            if isinstance(outcome, Err) and outcome.prepared is not None and waits_here:
                return await self._wait(wire, outcome, caller)
            if isinstance(outcome, Err) and outcome.prepared is not None:
                asked = await self._approvals.ask(context, outcome, params, caller)
                if not isinstance(asked, Ok | Err):
                    return asked
                outcome = asked
                access.note(known, outcome)
        return _result(wire, outcome)

    async def _wait(self, wire: Export, err: Err, caller: Caller) -> dict[str, Any]:
        """Keep a call for an approver; the consent of the client's user is no approval then."""
        assert self._decisions is not None and err.prepared is not None  # noqa: S101, PT018
        try:
            words = f"Its state is at {await self._decisions.store(err.prepared, caller)}."
        except Refused as refused:
            words = refused.problem.detail
        result = _result(wire, err)
        return {**result, "content": [*result["content"], {"type": "text", "text": words}]}

    def _wire(self, context: Any, caller: Caller) -> Export:
        target: Target = "mcp" if context.protocol_version >= NEWEST_REVISION else "mcp-2025-11-25"
        in_session = self._found.of(context) is not None
        return self._catalogue.wire(target, caller.context, in_session=in_session)

    def _input_schema(self, name: str) -> Mapping[str, Any] | None:
        """Return the schema that determines which arguments a client sends as headers too."""
        caller = CALLER.get()
        context = caller and caller.context

        def find(_: Toolset) -> dict[str, Any]:
            return _with_headers(self._catalogue.wire("mcp", context).tools)

        return self._catalogue.view("headers", find, context).get(name)


def _with_headers(tools: list[Any]) -> dict[str, Any]:
    """Return the schemas that name headers: the SDK would search the others at each call."""
    schemas = {tool["name"]: tool["inputSchema"] for tool in tools}
    return {name: schema for name, schema in schemas.items() if HEADER in jsontext.write(schema)}


def _only_if_traced(middleware: Any) -> Any:
    """Leave out the SDK's spans if nothing records them and no trace is passed on."""
    from opentelemetry import trace

    async def run(context: Any, call_next: Any) -> Any:
        is_recorded = not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)
        if is_recorded or "traceparent" in (context.meta or ()):
            return await middleware(context, call_next)
        return await call_next(context)

    return run


def _version() -> str:
    """Return the version of the library, or an empty text if it runs from its source."""
    try:
        return version("toolhaft")
    except PackageNotFoundError:
        return ""


def _place_of(cursor: str | None, tools: list[Any]) -> int:
    """Find where a page begins."""
    from mcp import MCPError

    names = [tool["name"] for tool in tools]
    if cursor is not None and cursor not in names:
        raise MCPError(INVALID_PARAMS, "Invalid params: the cursor is not one of this list")
    return 0 if cursor is None else names.index(cursor)


def _progress(context: Any) -> AbstractAsyncContextManager[None]:
    """Notify the client of progress, if it requested that."""
    if (context.meta or {}).get("progress_token") is None:
        return nullcontext()

    async def tell(progress: Progress) -> None:
        """Send a report of a handler, but for numbers that JSON cannot hold."""
        _, done, total, text = progress
        message = None if text is None else feedback.describe_author_error(text)
        if isfinite(done):
            finite_total = +total if total is not None and isfinite(total) else None
            # The sign turns True and False into numbers, which the protocol requires.
            await context.session.report_progress(+done, finite_total, message)

    return report_to_async(tell)


def _result(wire: Export, outcome: Ok[Any] | Err) -> dict[str, Any]:
    from mcp import MCPError

    result = wire.result(outcome)
    if "code" in result:  # an unknown tool is an error of the protocol
        raise MCPError(result["code"], result["message"])
    return result
