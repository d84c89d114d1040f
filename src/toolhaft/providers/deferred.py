"""The declarations of tools that are in groups, or deferred until a search finds them.

The base is for targets without a search of their own: a deferred tool is declared once the result
of our own search tool, which stands in the conversation, has found it. The tools before it stay as
they are, in their places, so that what the provider has cached of the request stays valid.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from toolhaft.lowering.plan import PlannedTool
from toolhaft.providers.response import Part
from toolhaft.tools.tool import AnyTool

__all__ = ["SEARCH", "SEARCH_ITEM", "SHARED", "Entry", "declare_found", "pair_results"]

# The name of our own search tool, unless another tool has it.
SEARCH: Final = "search_tools"
# Its name where its calls are items of their own: no tool can have it, and no model reads it.
SEARCH_ITEM: Final = "tool search"
# The namespace of deferred tools without a group, where a provider has namespaces.
SHARED: Final = "more_tools"


class Entry(NamedTuple):
    """A tool and its declaration, and whether it is our own search tool."""

    tool: AnyTool
    planned: PlannedTool
    declaration: dict[str, Any]
    is_search: bool = False


def declare_found(entries: Sequence[Entry], found: Sequence[str]) -> list[Any]:
    """Return the declarations of the tools that are not deferred, then the found ones."""
    deferred = {entry.planned.wire_name: entry for entry in entries if entry.tool.defer}
    shown = [entry.declaration for entry in entries if not entry.tool.defer]
    return shown + [deferred[name].declaration for name in found if name in deferred]


def pair_results(messages: Sequence[Part]) -> Iterator[tuple[str, str]]:
    """Yield the tool and the text of each result in messages of the form of Chat Completions.

    Results have the name of their tool, or the id of a call before them.
    """
    names: dict[str | None, str | None] = {}
    for message in messages:
        calls = message.get("tool_calls")
        for call in message.parts("tool_calls") if isinstance(calls, list | tuple) else ():
            function = call.either("function")
            if function is not None:
                names[call.word("id")] = function.word("name")
        if message.word("role") == "tool":
            name = message.word("tool_name") or names.get(message.word("tool_call_id"))
            yield name or message.word("name") or "", _text_of(message)


def _text_of(message: Part) -> str:
    """Return the text of a message, whose content may be a list of parts."""
    if not isinstance(message.get("content"), list | tuple):
        return message.word("content") or ""
    return "".join(part.word("text") or "" for part in message.parts("content"))
