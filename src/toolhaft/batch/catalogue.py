"""Find the tool of a recorded call: by name, or by the id of its declaration."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType

from toolhaft.batch.calls import Call, NotACall
from toolhaft.call import feedback
from toolhaft.tools.tool import AnyTool

__all__ = ["Catalogue"]

NO_IDS: Mapping[str, AnyTool] = MappingProxyType({})
# Finding the nearest of thousands of names costs more than a call; models repeat their mistakes.
REMEMBERED = 1024
# More of a name is neither shown nor compared.
MOST_NAME_CHARS = 200


class Catalogue:
    """Tools by name and by id of their declarations; several may have one name.

    `faulty` has the names and ids of declarations that no tool could be made of.
    """

    def __init__(
        self,
        tools: Iterable[AnyTool],
        ids: Mapping[str, AnyTool] = NO_IDS,
        faulty: Collection[str] = (),
    ) -> None:
        self._ids = ids
        self._faulty = faulty
        self._tools_by_name: dict[str, list[AnyTool]] = {}
        for tool in tools:
            self._tools_by_name.setdefault(tool.name, []).append(tool)
        self._describe = lru_cache(REMEMBERED)(self._describe_name)

    def find(self, call: Call) -> AnyTool | None:
        """Give the tool of a call; None where there is none.

        Raises:
            NotACall: The tool's declaration is faulty, or several tools have the name and the
                call does not say which.
        """
        by_id = call.by_id and bool(self._ids)
        tool = self._find_by_id(call) if by_id else self._find_by_name(call.name)
        if tool is None and (call.tool_id if by_id else call.name) in self._faulty:
            raise NotACall("the declaration of its tool is faulty")
        return tool

    def _find_by_id(self, call: Call) -> AnyTool | None:
        """Give the tool with the id; for an unknown id, the only tool of the name."""
        if call.tool_id is None or call.tool_id in self._faulty:
            return None
        named = self._tools_by_name.get(call.name, [])
        return self._ids.get(call.tool_id) or (named[0] if len(named) == 1 else None)

    def _find_by_name(self, name: str) -> AnyTool | None:
        tools = self._tools_by_name.get(name, [])
        if len(tools) > 1:
            raise NotACall(f"{len(tools)} tools have the name; the row must give the tool's id")
        return tools[0] if tools else None

    def describe_unknown(self, name: str) -> str:
        """Write the text for a model that called an unknown tool."""
        return self._describe(name[:MOST_NAME_CHARS])

    def _describe_name(self, name: str) -> str:
        return feedback.describe_unknown_tool(name, self._tools_by_name)
