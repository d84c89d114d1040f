"""Deferred tools in an export: the choice of the search, our own search tool, and its results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from toolhaft.call.feedback import cut_text
from toolhaft.call.outcome import Err, Ok
from toolhaft.definition.markers import Context
from toolhaft.definition.names import fold_name, pad_name
from toolhaft.errors import ToolhaftError, WireError
from toolhaft.jsonio import jsontext
from toolhaft.providers.deferred import SEARCH
from toolhaft.providers.provider import Provider
from toolhaft.providers.response import Part
from toolhaft.tools.decorator import tool
from toolhaft.tools.internals import is_always_visible
from toolhaft.tools.tool import AnyTool

if TYPE_CHECKING:
    from toolhaft.toolset.toolset import Toolset

__all__ = ["LocalSearch", "findable", "names_in", "names_of", "read_found", "searches_itself"]

DIRECT: Final = frozenset({"direct"})
LIMIT: Final = 5
MOST: Final = 20
SCHEMA: Final = {
    "type": "object",
    "properties": {
        "query": {
            "type": "string",
            "description": "What the tool should do, in a few words, and what it works with.",
        },
        "limit": {"type": "integer", "minimum": 1, "maximum": MOST, "default": LIMIT},
    },
    "required": ["query"],
    "additionalProperties": False,
}
NOTHING: Final = "No tool was found. Use other words for the same thing, or answer without it."
# How much of a description stands in a result; the declaration has all of it.
SHOWN: Final = 200
MOST_GROUPS: Final = 20
# A result is read back from the conversation, so it is whole, whatever a set cuts or keeps.
MOST_CHARACTERS: Final = 1_000_000


def searches_itself(provider: Provider, mode: str) -> bool:
    """Whether the provider searches for deferred tools.

    Raises:
        ToolhaftError: The toolset asks for the provider's search, and it has none.
    """
    if mode == "native" and not provider.has_search:
        fix = 'use Toolset(search="auto") or "local"'
        raise ToolhaftError(f"export: search: {provider.target} has no tool search; {fix}")
    return mode != "local" and provider.has_search


def findable(toolset: Toolset, *, runs_programs: bool) -> list[AnyTool]:
    """Return the deferred tools that a model may call, or its programs if the target runs them."""
    callers = {"direct", "programmatic"} if runs_programs else {"direct"}
    return [tool for tool in toolset if tool.defer and callers & (tool.allowed_callers or DIRECT)]


class LocalSearch:
    """Our own search tool for deferred tools of a toolset.

    `names` maps the name of each tool that a target takes to its name there; it is set once they
    are planned.
    """

    def __init__(
        self,
        toolset: Toolset,
        among: Sequence[AnyTool],
        described: Sequence[AnyTool] | None = None,
    ) -> None:
        self.names: Mapping[str, str] = {}
        self._toolset, self._among = toolset, among
        self.tool: AnyTool = tool(
            self._run,
            name=pad_name(SEARCH, _names_taken(toolset)),
            description=_describe(among if described is None else described),
            parameters=SCHEMA,
            output=None,
            annotations={"readOnlyHint": True},
            max_result_chars=MOST_CHARACTERS,
        )

    @classmethod
    def of(cls, toolset: Toolset) -> LocalSearch | None:
        """Return the search of a framework, whose models run no programs; None without a need.

        One search serves every context, so it describes the tools that are visible in all of them.
        """
        among = findable(toolset, runs_programs=False)
        described = [each for each in among if is_always_visible(each)]
        return cls(toolset, among, described) if among else None

    def _run(self, query: str, limit: int = LIMIT, *, context: Context[Any] = None) -> Any:
        found = self._find(query, limit, context)
        if not found:
            return NOTHING
        listed = [
            {"name": self.names[each.name], "description": cut_text(each.description, SHOWN)}
            for each in found
        ]
        return {"tools": listed, "note": "You can call these tools now."}

    def _find(self, query: str, limit: int, context: Any) -> list[AnyTool]:
        from toolhaft.toolset.internals import search_names

        among = [
            each.name
            for each in self._among
            if each.name in self.names and each.is_visible(context)
        ]
        return [self._toolset[name] for name in search_names(self._toolset, query, among, limit)]


def _names_taken(toolset: Toolset) -> set[str]:
    groups = {fold_name(each.group.name) for each in toolset if each.group}
    return groups | {fold_name(each.name) for each in toolset}


def _describe(deferred: Sequence[AnyTool]) -> str:
    groups = {each.group.name: each.group.description for each in deferred if each.group}
    count = f"; {len(deferred)} more can be found" if deferred else ""
    text = (
        f"Find tools by what they do{count}. The tools that it returns can be called from then on."
    )
    listed = [
        f"{name} ({cut_text(about, SHOWN)})" if about else name for name, about in groups.items()
    ]
    return f"{text} Among them: {', '.join(listed[:MOST_GROUPS])}." if listed else text


def read_found(provider: Provider, messages: Iterable[Any], name: str) -> list[str]:
    """Return the names on the wire that searches in a conversation have found, in their order."""
    parts = [Part(provider.target, message) for message in messages]
    try:
        texts = [text for tool_name, text in provider.results_in(parts) if tool_name == name]
    except WireError as error:
        raise ToolhaftError(f"export: messages: {error}") from None
    return list(dict.fromkeys(found for text in texts for found in names_in(text)))


def names_in(result: Any) -> Sequence[str]:
    """Return the names in a result of the search tool, as text or as data; none in another one."""
    try:
        data = jsontext.read(result) if isinstance(result, str) else result
    except jsontext.JsonSyntaxError:
        return []
    listed = data.get("tools") if isinstance(data, dict) else None
    if not isinstance(listed, list):
        return []
    names = [each.get("name") for each in listed if isinstance(each, dict)]
    return [each for each in names if isinstance(each, str)]


def names_of(outcome: Ok[Any] | Err) -> Sequence[str]:
    """Return the names that a search has found."""
    return names_in(outcome.json) if isinstance(outcome, Ok) else []
