"""The tools of an MCP server, which is started or connected to for as long as the command runs.

The session lives on the library's own loop, on which `call_sync` runs async handlers too.
"""

from __future__ import annotations

import asyncio
import logging
import shlex
from collections.abc import Generator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import IO, Any, Final
from urllib.parse import urlsplit

import click

from toolhaft.call import workers
from toolhaft.cli import remote
from toolhaft.cli.errors import Unusable
from toolhaft.errors import DefinitionError
from toolhaft.imports.imported import Imported
from toolhaft.imports.mcp.calls import code_of
from toolhaft.imports.mcp.session import from_mcp
from toolhaft.loading.faults import one_line
from toolhaft.loading.source import IsReady
from toolhaft.serve.extra import describe_lack

__all__ = ["open_server"]

STDIO: Final = "mcp+stdio:"
SECONDS: Final = 30.0
# A stream may be silent for long while a tool runs, as in the client's own default.
READ_SECONDS: Final = 300.0
CONNECTION_CLOSED: Final = -32000
GRACE: Final = 1.0
READY_SECONDS: Final = 5.0


def open_server(target: str) -> tuple[Imported, IsReady]:
    """Open a session with a server, which is closed when the command ends.

    Returns its tools, and a function that checks whether it still answers.

    Raises:
        Unusable: with the reason.
    """
    return click.get_current_context().with_resource(_opened(target))


@contextmanager
def _opened(target: str) -> Generator[tuple[Imported, IsReady]]:
    # Hides tracebacks that the client logs of failures from which it recovers.
    logging.getLogger("mcp").addHandler(logging.NullHandler())
    with TemporaryFile("w+", encoding="utf-8", errors="replace") as server_log:
        session = _Session(_parse(target, server_log))
        try:
            try:
                tools = workers.run_in_loop(session.open())
            except Exception as error:
                raise _unusable(target, error, server_log) from error
            yield tools, session.is_ready
        finally:
            workers.run_in_loop(session.close())
            if session.ended:
                reason = f"the server ended in mid-call{_last_line(server_log)}"
                raise Unusable(f"{target}: {reason}")


def _parse(target: str, server_log: Any) -> Any:
    """Return the argument of the client: the transport of a command, or a URL."""
    if lack := describe_lack(["mcp"], "mcp"):
        raise Unusable(f"{target}: {lack}")
    from mcp import StdioServerParameters, stdio_client

    if not target.startswith(STDIO):
        url = target.removeprefix("mcp+")
        if not _has_host(url):
            raise Unusable(f"{target}: expected an address, as in mcp+https://example.org/mcp")
        return _connect(url)
    try:
        command, *arguments = shlex.split(target.removeprefix(STDIO))
    except ValueError:
        fix = f"expected a command, as in {STDIO}'python server.py', quotes in pairs"
        raise Unusable(f"{target}: {fix}") from None
    return stdio_client(StdioServerParameters(command=command, args=arguments), server_log)


def _connect(url: str) -> Any:
    """Return the transport to an address, with the headers of `--headers`."""
    if not remote.headers():
        return url
    import httpx2  # the client's own
    from mcp.client.streamable_http import streamable_http_client

    timeout = httpx2.Timeout(SECONDS, read=READ_SECONDS)
    client = httpx2.AsyncClient(headers=remote.headers(), timeout=timeout)
    return streamable_http_client(url, http_client=client)


def _has_host(url: str) -> bool:
    try:
        return bool(urlsplit(url).hostname)
    except ValueError:
        return False


class _Session:
    """A session with a server: one task enters and leaves it, as its client demands.

    `ended` says that the connection was lost in a call.
    """

    def __init__(self, server: Any) -> None:
        self.server = server
        self.closing = asyncio.Event()
        self.ended = False
        self.task: asyncio.Task[Any] | None = None

    async def is_ready(self) -> bool:
        """Return, on any loop, whether the server still answers."""
        asking = asyncio.run_coroutine_threadsafe(self._answers(), self.loop)
        return await asyncio.wrap_future(asking)

    async def _answers(self) -> bool:
        try:
            async with asyncio.timeout(READY_SECONDS):
                await self.session.list_tools()
        except Exception:  # noqa: BLE001  the client has many for a server that is gone
            return False
        return True

    async def open(self) -> Imported:
        """Return the server's tools, or raise the session's error."""
        self.loop = asyncio.get_running_loop()
        tools: asyncio.Future[Imported] = asyncio.get_running_loop().create_future()
        self.task = asyncio.create_task(self._hold(tools))
        await asyncio.wait({self.task, tools}, timeout=SECONDS, return_when="FIRST_COMPLETED")
        if tools.done():
            return tools.result()
        if self.task.done():
            self.task.result()
        raise TimeoutError

    async def _hold(self, tools: asyncio.Future[Imported]) -> None:
        from mcp import Client

        async with Client(self.server) as client:
            self.client, self.session = client, client.session
            tools.set_result(await from_mcp(self))
            await self.closing.wait()

    async def call_tool(self, name: str, arguments: Any, **options: Any) -> Any:
        """Call a tool, and note where the connection is lost."""
        try:
            return await self.client.call_tool(name, arguments, **options)
        except Exception as error:
            self.ended |= code_of(error) == CONNECTION_CLOSED
            raise

    async def close(self) -> None:
        """End the session, and the server where it was started for it."""
        self.closing.set()
        if self.task is not None:
            done, _ = await asyncio.wait({self.task}, timeout=GRACE)
            if not done:
                self.task.cancel()
            await asyncio.gather(self.task, return_exceptions=True)


def _unusable(target: str, error: BaseException, server_log: IO[str]) -> Unusable:
    """Return a one-line reason why there are no tools, with the server's last line of output."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, DefinitionError):
        return Unusable.from_definition_error(error, target)
    if isinstance(error, TimeoutError):
        reason = f"the server does not answer within {SECONDS:g} seconds"
    elif isinstance(error, OSError) and target.startswith(STDIO):
        reason = f"the command cannot be started: {error.strerror}"
    elif code_of(error) == CONNECTION_CLOSED:
        reason = "the server ended, or speaks no MCP"
    else:
        reason = f"the server does not answer: {one_line(f'{type(error).__name__}: {error}')}"
    return Unusable(f"{target}: {reason}{_last_line(server_log)}")


def _last_line(server_log: IO[str]) -> str:
    server_log.seek(0)
    lines = [line for line in server_log if line.strip()]
    return f"; it wrote: {one_line(lines[-1])}" if lines else ""
