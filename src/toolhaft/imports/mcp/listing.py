"""List the tools of a server: page by page, within bounds, and no two that read the same.

A server may be careless or hostile: it may repeat a cursor for ever, or list a name twice so that
one tool shadows another.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from toolhaft.definition import names
from toolhaft.errors import DefinitionError, Fault, WireError
from toolhaft.imports.mcp.results import SCHEMAS, read_field

__all__ = ["list_tools", "map_names"]

MAX_PAGES: Final = 100
MAX_TOOLS: Final = 10_000


async def list_tools(session: Any, seconds: float | None) -> list[dict[str, Any]]:
    """Return the declarations of all tools, as the server wrote them.

    Raises:
        WireError: The server ends, errs, is silent, repeats a cursor, or lists without an end.
    """
    import asyncio

    try:
        async with asyncio.timeout(seconds):
            return await _list_pages(session)
    except WireError:
        raise
    except TimeoutError:
        raise _unlisted(f"not all tools within {seconds:g} seconds") from None
    except Exception as error:
        # The cause may quote the server, so it is only in the traceback.
        raise _unlisted(f"the server does not answer ({type(error).__name__})") from error


async def _list_pages(session: Any) -> list[dict[str, Any]]:
    """Ask for page after page, bypassing the cache that a client may have."""
    session = getattr(session, "session", session)
    declarations: list[dict[str, Any]] = []
    cursors: set[str] = set()
    page = await session.list_tools()
    for _ in range(MAX_PAGES):
        declarations += [_to_data(tool) for tool in page.tools]
        if len(declarations) > MAX_TOOLS:
            raise _unlisted(f"more than {MAX_TOOLS:,} tools")
        cursor = read_field(page, "next_cursor")
        if cursor is None:
            return declarations
        if cursor in cursors:
            raise _unlisted("a cursor came twice")
        cursors.add(cursor)
        page = await _next_page(session, cursor)
    raise _unlisted(f"more than {MAX_PAGES} pages")


async def _next_page(session: Any, cursor: str) -> Any:
    from mcp.types import PaginatedRequestParams

    return await session.list_tools(params=PaginatedRequestParams(cursor=cursor))


def _to_data(tool: Any) -> dict[str, Any]:
    """Return a declaration as data; schemas are plain, and may be deeper than pydantic dumps.

    The definition checks how deep a schema may be, and reports it by the name of the tool.
    """
    dump = partial(tool.model_dump, mode="json", by_alias=True, exclude_none=True)
    data: dict[str, Any] = dump(exclude=SCHEMAS)
    data["inputSchema"] = read_field(tool, "input_schema")
    output = read_field(tool, "output_schema")
    return data if output is None else data | {"outputSchema": output}


def _unlisted(reason: str) -> WireError:
    return WireError("mcp", "tools/list", reason)


def map_names(listed: Sequence[str]) -> dict[str, str]:
    """Map the server's names to valid ones, of which most are the same.

    Raises:
        DefinitionError: Two names read the same: a call could reach the other tool.
    """
    seen: dict[str, int] = {}
    faults = []
    for place, name in enumerate(listed):
        first = seen.setdefault(names.fold_name(name), place)
        if first != place:
            reason = f"reads the same as that of tools[{first}]"
            fix = "do not trust the server, or have it rename one"
            where = f"tools[{place}] {names.escape_text(name)}"
            faults.append(Fault(where, "name", reason, fix))
    if faults:
        raise DefinitionError(faults)
    return dict(names.NameMap(listed, names.FOREIGN).wires)
