"""`from_mcp`: make tools of the tools that a server lists, while its session is open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from toolhaft.definition import names
from toolhaft.definition.options import fault_of_seconds
from toolhaft.errors import DefinitionError, Fault
from toolhaft.imports.declarations import MCP, read_declaration
from toolhaft.imports.imported import Imported, LeftOut, SharedSchemas
from toolhaft.imports.mcp.calls import RemoteSession
from toolhaft.imports.mcp.listing import list_tools, map_names
from toolhaft.imports.mcp.results import show_content
from toolhaft.review.lock import Mismatch, verify_tools
from toolhaft.schema.bounds import DefinitionLimits
from toolhaft.tools.definition import LIMITS
from toolhaft.tools.invisible import InvisibleCharacters, require_choice
from toolhaft.tools.tool import AnyTool

__all__ = ["from_mcp"]

SECONDS: Final = 60.0  # the default of the TypeScript client
MAX_RESULT_BYTES: Final = 16 << 20
NO_SIZE: Final = ("not a whole number of at least 1", "use a number of bytes, or leave it out")
ACCEPT: Final = "look at what it is now, and accept it with a new lock"


async def from_mcp(
    session: Any,
    /,
    *,
    lock: Mapping[str, Any] | str | Path | None = None,
    timeout: float | None = SECONDS,
    max_result_bytes: int = MAX_RESULT_BYTES,
    limits: DefinitionLimits = LIMITS,
    invisible_characters: InvisibleCharacters = "reject",
) -> Imported:
    """Make tools from the tools of a server of the Model Context Protocol.

    The tools work as long as the session is open, from any event loop.

    Args:
        session: An open `ClientSession` or `Client` of the `mcp` package, of either revision.
        lock: The path or the data of a lock; tools that differ from it are rejected.
        timeout: Seconds for the list of tools and for each call; None for no limit.
        max_result_bytes: The size of the largest result that is accepted.
        limits: See `DefinitionLimits`.
        invisible_characters: How to handle a tool with characters that a person cannot see:
            "reject" it, or "strip" its texts and leave out defaults, examples and extensions
            with them. Names, enums and patterns are never changed.

    Returns:
        A toolset, with the rejected tools in `refusals` and the fields that it cannot represent in
        `left_out`.

    Raises:
        DefinitionError: `session` is not a session, an option is invalid, or two names look the
            same.
        WireError: The server does not list its tools.
        LockError: The lock cannot be used.

    >>> import asyncio
    >>> from mcp import Client
    >>> from mcp.server import MCPServer
    >>> server = MCPServer("shops")
    >>> @server.tool()
    ... def count(city: str) -> int:
    ...     "Count the shops of a city."
    ...     return len(city)
    >>> async def main():
    ...     async with Client(server) as session:
    ...         tools = await from_mcp(session)
    ...         return await tools.call("count", '{"city": "Rome"}')
    >>> asyncio.run(main()).text
    '4'
    """
    from asyncio import get_running_loop

    _require_options(timeout, max_result_bytes)
    require_choice("from_mcp", invisible_characters)
    remote = RemoteSession(session, get_running_loop(), max_result_bytes)
    declarations = await list_tools(session, timeout)
    tool_names = map_names([declaration["name"] for declaration in declarations])
    tools: list[AnyTool] = []
    left_out: list[LeftOut] = []
    refused: dict[str, Iterable[Fault]] = {}
    shared = SharedSchemas()
    for declaration in declarations:
        wire_name = declaration["name"]
        name = tool_names[wire_name]
        try:
            _check_name(wire_name)
            draft = read_declaration({**declaration, "name": name}, MCP, invisible_characters)
            draft.options.update(render=show_content, timeout=timeout)
            handler = remote.make_handler(wire_name, draft.options)
            tools.append(draft.make_tool(handler, limits, shared))
        except DefinitionError as error:
            refused[name] = [fault._replace(tool=name) for fault in error.faults]
        else:
            left_out += [LeftOut(name, field) for field in draft.left_out]
    refused = {**_check_lock(tools, lock), **refused}
    return Imported(
        (tool for tool in tools if tool.name not in refused),
        limits=limits,
        left_out=(field for field in left_out if field.tool not in refused),
        refusals=(fault for faults in refused.values() for fault in faults),
    )


def _require_options(timeout: Any, max_result_bytes: Any) -> None:
    is_size = type(max_result_bytes) is int and max_result_bytes > 0
    verdicts = {
        "timeout": fault_of_seconds(timeout),
        "max_result_bytes": None if is_size else NO_SIZE,
    }
    faults = [Fault("from_mcp", name, *verdict) for name, verdict in verdicts.items() if verdict]
    if faults:
        raise DefinitionError(faults)


def _check_name(wire_name: str) -> None:
    """Refuse a name with invisible characters; other characters are mapped to valid ones."""
    hidden = names.hidden_character(wire_name)
    if hidden is not None:
        raise DefinitionError([Fault("", "name", f"holds {hidden}", "remove it")])


def _check_lock(
    tools: Iterable[AnyTool], lock: Mapping[str, Any] | str | Path | None
) -> dict[str, Iterable[Fault]]:
    """Return the differences of each tool that differs from the lock."""
    if lock is None:
        return {}
    try:
        verify_tools(tools, lock, rules=False)
    except Mismatch as mismatch:
        return {name: [Fault(name, "", why, ACCEPT)] for name, why in mismatch.tools.items()}
    return {}
