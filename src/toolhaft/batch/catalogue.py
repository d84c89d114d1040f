"""Find the tool of a recorded call: by name, or by the id of its declaration.

`load_catalogue` loads the tools of a place once in each process, for engines that ship the place.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from toolhaft.batch.calls import Call, NotACall
from toolhaft.batch.journal import Changed
from toolhaft.call import feedback
from toolhaft.jsonio.canonical import digest as digest_data
from toolhaft.loading.source import Source, Tools, load_tools
from toolhaft.tools.internals import call_options_of
from toolhaft.tools.tool import AnyTool

__all__ = ["Catalogue", "digest_of", "load_catalogue"]

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

    @classmethod
    def of(cls, source: Source) -> Catalogue:
        """Return the catalogue of loaded tools."""
        faulty = {
            key
            for declaration in source.faulty
            for key in (declaration.name, declaration.id)
            if isinstance(key, str)
        }
        return cls((tool for tool, _ in source.tools), source.ids, faulty)

    def find(self, call: Call) -> AnyTool | None:
        """Return the tool of a call, or None if it is unknown.

        Raises:
            NotACall: The tool's declaration is faulty, or several tools have the name and the
                call does not identify one.
        """
        by_id = call.by_id and bool(self._ids)
        tool = self._find_by_id(call) if by_id else self._find_by_name(call.name)
        if tool is None and (call.tool_id if by_id else call.name) in self._faulty:
            raise NotACall("the declaration of its tool is faulty")
        return tool

    def _find_by_id(self, call: Call) -> AnyTool | None:
        """Return the tool with the id; for an unknown id, the only tool of the name."""
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


def digest_of(tools: Iterable[AnyTool]) -> str:
    """Return the SHA-256 of the rules for calls of the tools, the same in every process."""
    described = [
        {
            "name": tool.name,
            "description": tool.description,
            "input": tool.input_schema.json_schema(),
            "coerce": call_options_of(tool).coerce,
        }
        for tool in sorted(tools, key=lambda tool: tool.name)
    ]
    return digest_data(described)


def load_catalogue(tools: Tools, digest: str | None = None) -> Catalogue:
    """Return the catalogue of tools; a place of tools is loaded once in each process.

    Raises:
        Changed: The tools have another digest than this.
        LoadError: There are no such tools, or their own code is wrong.
    """
    if isinstance(tools, str):
        return _load_once(tools, str(Path.cwd()), digest)
    return _load(tools, digest)


def _load(tools: Tools, digest: str | None) -> Catalogue:
    source = load_tools(tools)
    for reason in _left_out(source):
        warnings.warn(f"left out: {reason}", stacklevel=2)
    if digest is not None and digest_of(tool for tool, _ in source.tools) != digest:
        raise Changed("the tools have another digest; ship the same version everywhere")
    return Catalogue.of(source)


def _left_out(source: Source) -> list[str]:
    faulty = [f"{tool.where}: {reason}" for tool in source.faulty for reason in tool.reasons]
    return [*faulty, *source.left_out]


@lru_cache(maxsize=16)
def _load_once(place: str, folder: str, digest: str | None) -> Catalogue:
    """Load a place, which may be relative to the current folder."""
    del folder
    return _load(place, digest)
