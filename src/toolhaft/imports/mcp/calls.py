"""Call a tool through a client session, from any event loop."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from toolhaft import vendors
from toolhaft.call.invalid import ForeignFailure, ForeignTimeout, ForeignUnsent
from toolhaft.definition.markers import Report
from toolhaft.errors import DefinitionError, Fault, ToolError
from toolhaft.imports.mcp.results import InvalidContent, to_value
from toolhaft.spec import Issue
from toolhaft.toolset.foreign import refuse_input, refuse_output

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

__all__ = ["RemoteSession", "code_of"]

# How long a loop may be busy with something else before it counts as blocked.
PATIENCE: Final = 10.0
BLOCKED: Final = (
    "the loop of the session is blocked, and the call was not sent; where call_sync is called in "
    "the thread of that loop, await call instead"
)
TIMEOUTS: Final = (-32001, 408)  # mcp 1 has the status of HTTP
INVALID_PARAMS: Final = -32602
INPUT_REQUIRED: Final = "The tool asked for further input, which nobody here can give."


class RemoteSession:
    """A client session, and the loop on which it was opened.

    Raises:
        DefinitionError: It is no session.
    """

    def __init__(self, session: Any, loop: AbstractEventLoop, max_result_bytes: int) -> None:
        _require_session(session)
        self.session = session
        self.max_result_bytes = max_result_bytes
        self.loop = loop

    def make_handler(self, wire_name: str, options: Mapping[str, Any]) -> Callable[..., Any]:
        """Return the handler of a tool that the server calls `wire_name`."""

        async def run(arguments: Any, report: Report) -> Any:
            return await self._run_at_home(
                partial(self._call, wire_name, options, arguments, report), options["timeout"]
            )

        return run

    async def _run_at_home(
        self, call: Callable[[], Coroutine[Any, Any, Any]], timeout: float | None
    ) -> Any:
        """Await a call on the session's loop; cancelling the caller cancels the call."""
        import asyncio

        here = asyncio.get_running_loop()
        if here is self.loop:
            return await call()
        if not self.loop.is_running():
            raise ForeignUnsent("the loop of the session has ended; open the session anew")
        begun = asyncio.Event()
        to_begin = [call]  # popped once: by the session's loop, or by a caller that gave up

        async def begin() -> Any:
            here.call_soon_threadsafe(begun.set)
            return await to_begin.pop()() if to_begin else None

        future = asyncio.run_coroutine_threadsafe(begin(), self.loop)
        try:
            patience = PATIENCE if timeout is None else min(PATIENCE, timeout / 2)
            async with asyncio.timeout(patience):  # wait_for of 3.11 loses a cancellation
                await begun.wait()
        except TimeoutError:
            with suppress(IndexError):  # it has begun after all
                to_begin.pop()
                raise ForeignUnsent(BLOCKED) from None
        except asyncio.CancelledError:
            to_begin.clear()
            future.cancel()
            raise
        return await asyncio.wrap_future(future)

    async def _call(
        self, wire_name: str, options: Mapping[str, Any], arguments: Any, report: Report
    ) -> Any:
        async def tell(done: float, total: float | None, message: str | None) -> None:
            report(done, total, message)

        try:
            result = await self.session.call_tool(wire_name, arguments, progress_callback=tell)
        except Exception as error:
            refusal = to_refusal(error, options, arguments)
            if refusal is error:
                raise
            raise refusal from None  # the original may quote the result
        try:
            return to_value(result, self.max_result_bytes)
        except InvalidContent as error:
            raise refuse_output(options["name"], None, [Issue(str(error))]) from None


def _require_session(session: Any) -> None:
    """Require an open session of the official client.

    Raises:
        DefinitionError: It is none, or is not open.
    """
    reason = f"{type(session).__name__} is not a session of the official client"
    fix = "pass an open mcp.ClientSession or mcp.Client; of FastMCP's client its .session"
    try:
        inner = getattr(session, "session", session)
    except RuntimeError:
        inner, reason, fix = None, "the client is not open", "open it by async with"
    if not hasattr(inner, "send_request") or hasattr(session, "call_tool_mcp"):
        raise DefinitionError([Fault("from_mcp", "session", reason, fix)])


def code_of(error: BaseException) -> int | None:
    """Return the code of an error of the protocol, `MCPError`, or None of any other."""
    code = getattr(getattr(error, "error", None), "code", None)
    return code if isinstance(code, int) else None


def to_refusal(error: Exception, options: Mapping[str, Any], arguments: Any) -> Exception:
    """Return the exception by which the boundary understands an exception of the client.

    An exception without such a meaning is returned as it is: it is a crash.
    """
    code = code_of(error)
    if code in TIMEOUTS:
        return ForeignTimeout(options["name"], "no answer within the session's own time", "unknown")
    if code == INVALID_PARAMS:
        issue = Issue(str(error), (), "custom")
        adapter = vendors.adapt(options["input"])
        description = options.get("description", "")
        return refuse_input(options["name"], description, adapter, [issue], arguments)
    if code is not None:
        return ForeignFailure(f"error {code}: {error}")
    if type(error).__name__ == "ValidationError":  # pydantic's: not a result of the protocol
        return refuse_output(options["name"], None, [Issue("not a result of the protocol")])
    return _of_runtime_error(error, options) if isinstance(error, RuntimeError) else error


def _of_runtime_error(error: RuntimeError, options: Mapping[str, Any]) -> Exception:
    """Read the words of the official client, which has no other mark for what it refuses."""
    words = str(error)
    if "InputRequiredResult" in words:
        return ToolError(INPUT_REQUIRED)
    if "structured content" not in words and not words.startswith("Invalid schema for tool"):
        return error
    cause: Any = error.__cause__
    keyword = getattr(cause, "validator", None)
    message = f"refused by {keyword}" if keyword else "missing, or its schema cannot be applied"
    issue = Issue(message, tuple(getattr(cause, "absolute_path", ())), "value")
    return refuse_output(options["name"], options.get("output"), [issue])
