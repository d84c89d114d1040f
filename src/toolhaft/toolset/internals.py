"""Access to the inside of a toolset for the rest of toolhaft.

Programs that use toolsets need none of it, so it is not part of `Toolset`.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar

from toolhaft.definition.options import UNSET
from toolhaft.errors import ToolhaftError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolhaft.call.outcome import Err, Ok
    from toolhaft.call.prepared import Prepared
    from toolhaft.observers.runs import Ended, Observation
    from toolhaft.providers.deferred import Entry
    from toolhaft.tools.tool import AnyTool
    from toolhaft.toolset.answers import Answer
    from toolhaft.toolset.dispatch import Dispatch
    from toolhaft.toolset.groups import SearchMode
    from toolhaft.toolset.members import Member
    from toolhaft.toolset.toolset import Toolset
    from toolhaft.toolset.wire import Reading, Wire

T = TypeVar("T", bound="Wire")

__all__ = [
    "dispatch_of",
    "empty_answer",
    "ended_turn",
    "entries_of",
    "is_search",
    "joined",
    "keep_apart",
    "observe_later",
    "observe_run",
    "search_mode",
    "search_names",
    "shown_to",
    "with_found",
    "with_repairs",
    "with_search_tool",
]


def entries_of(wire: Wire) -> tuple[list[Entry], bool]:
    """Return every tool of an export with its declaration, and whether the target defers some."""
    return wire._entries, wire._provider.defers


def dispatch_of(toolset: Toolset) -> Dispatch:
    """Return the dispatch of a toolset, which finds its tools and records rejected calls."""
    return toolset._dispatch


def empty_answer(wire: Wire) -> Answer:
    """Return the answer to no turn: without a call, and without a message."""
    from toolhaft.toolset.answers import Answer

    return Answer(wire._provider, None, [], [], [])


def observe_run(wire: Wire, model: str, *, stream: bool) -> Observation:
    """Return the observation of a run by the observers of the tools."""
    from toolhaft.observers.runs import Observation, Started

    observers = wire._toolset._dispatch._observers
    return Observation(observers, Started(target=wire.target, model=model, stream=stream))


def ended_turn(wire: Wire, response: Any, reading: Reading) -> Ended:
    """Return what observers see of a response."""
    from toolhaft.observers.runs import Ended
    from toolhaft.providers.response import Part

    part = Part(wire.target, response)
    return Ended(
        reason=wire._provider.stop_value(part),
        failed=reading.ending.reason == "failed",
        usage=reading.usage,
        id=part.word("id") or part.word("responseId"),
        model=part.word("model") or part.word("modelVersion"),
    )


def observe_later(wire: Wire, prepared: Prepared[Any]) -> None:
    """Have the run of a call that was prepared by an export observed."""
    wire._toolset._dispatch.observe_run(prepared, wire.target)


def shown_to(toolset: Toolset, context: Any = UNSET) -> Toolset:
    """Return the tools that `visible=` shows in a context; None is a context.

    Raises:
        ToolhaftError: There is no context, and the toolset has a tool that may be hidden.
    """
    if not toolset._hides:
        return toolset
    if context is UNSET:
        raise ToolhaftError(
            "Toolset: visible: no context to judge by; pass context= (None for a guest)"
        )
    return toolset.visible_to(context)


def joined(toolset: Toolset, members: Iterable[Member]) -> Toolset:
    """Return other tools with the callbacks, observers and limits of a toolset."""
    return toolset._with(toolset._with_permission(members))


def keep_apart(toolset: Toolset) -> Toolset:
    """Return the same tools; one with `parallel=False` then runs alone, for any caller.

    For frameworks that run calls concurrently without `call_all`. Toolsets that are made from one
    another share the barrier.
    """
    if not toolset._barriers:
        return toolset
    return toolset._with(toolset, bounds=toolset._barriers)


def is_search(wire: Wire, outcome: Ok[Any] | Err) -> bool:
    """Whether an outcome is of a call of the search tool of an export."""
    return wire._is_search(outcome)


def with_found(wire: T, found: list[str]) -> T:
    """Return an export that declares the tools that were found."""
    return wire._with_found(found) if found else wire


def search_mode(toolset: Toolset) -> SearchMode:
    """Return who searches for the deferred tools of a toolset."""
    return toolset._search


def search_names(toolset: Toolset, query: str, among: Iterable[str], limit: int) -> list[str]:
    """Search some tools of a toolset; return the names that fit a query best."""
    return toolset._index.search(query, frozenset(among), limit)


def with_search_tool(toolset: Toolset, tool: AnyTool) -> Toolset:
    """Return a toolset with the search tool, to which its callbacks do not apply."""
    extended = toolset._with([*toolset, tool])
    extended._index = toolset._index
    return extended


def with_repairs(toolset: Toolset, coerce: Literal["safe", "lenient", "none"]) -> Toolset:
    """Return the same tools with one policy of repairs."""
    return toolset._with(tool.replace(coerce=coerce) for tool in toolset)
