"""Resolve a place of tools: a module, a Python file, or a file of declarations.

tools.py, package.module          tools in Python code, one of several toolsets after a colon
tools.json, tools.jsonl.gz        declarations, in any shape that `from_json` reads
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Final, NamedTuple, TypeAlias

from toolhaft.imports.declarations import ENDINGS
from toolhaft.loading.declared import read_declared
from toolhaft.loading.faults import Faulty, LoadError
from toolhaft.loading.modules import ModuleImport
from toolhaft.loading.selection import join_tools, select_tools
from toolhaft.tools.internals import call_options_of
from toolhaft.tools.tool import AnyTool
from toolhaft.toolset.toolset import Toolset

__all__ = ["KINDS", "IsReady", "Source", "Tools", "load_tools"]

# A place of tools, or tools themselves.
Tools: TypeAlias = str | Iterable[AnyTool]
IsReady: TypeAlias = Callable[[], Awaitable[bool]]

KINDS: Final = f"package.module, a file with the ending {', '.join(('.py', *ENDINGS))}"


class Source(NamedTuple):
    """Tools with the place where each is defined; `runs` is False if they are only declared.

    `is_code` is whether they are the user's own Python code; `faulty` lists invalid definitions,
    and `left_out` the reasons for tools that were left out; `is_ready` checks whether the server
    that they belong to still answers; `lacks` names what is missing to run a document's tools;
    `module` is the one that they were imported from.
    """

    tools: list[tuple[AnyTool, str]]
    ids: Mapping[str, AnyTool]
    runs: bool
    is_code: bool
    faulty: Sequence[Faulty] = ()
    members: Toolset | None = None
    is_ready: IsReady | None = None
    lacks: str = ""
    left_out: Sequence[str] = ()
    module: ModuleType | None = None

    @property
    def toolset(self) -> Toolset:
        """The tools as one set, with the callbacks of their module's own set."""
        return Toolset(tool for tool, _ in self.tools) if self.members is None else self.members

    def with_deadline(self, seconds: float | None) -> Source:
        """Return the same tools; those without a timeout get this one."""
        if seconds is None:
            return self
        tools = [
            (tool if call_options_of(tool).timeout else tool.replace(timeout=seconds), where)
            for tool, where in self.tools
        ]
        return self._replace(tools=tools)


def load_tools(tools: Tools, *, tolerant: bool = False, kinds: str = KINDS) -> Source:
    """Load the tools that a place names, or check tools themselves; each counts once.

    A faulty declaration in a file is listed in `faulty`. A faulty definition in a module is an
    error, unless `tolerant` asks for the others. `kinds` says what else the caller takes.

    Raises:
        LoadError: There are no such tools, or their own code is wrong.
    """
    if not isinstance(tools, str):
        return _of_members(join_tools("tools", tools).toolset)
    if tools.endswith(ENDINGS):
        return _load_declared(tools)
    return _load_module(tools, kinds, tolerant=tolerant)


def _load_module(place: str, kinds: str, *, tolerant: bool) -> Source:
    target, name = _split(place)
    if target and Path(target).is_dir() and not (Path(target) / "__init__.py").is_file():
        raise LoadError(f"{place}: is a folder; name a file of tools in it")
    if not target.endswith(".py") and (Path(target).is_file() or not _is_module_name(target)):
        raise LoadError(f"{place}: expected {kinds}")
    module_import = ModuleImport(target)
    module = module_import.run()
    toolset, faulty, left_out = select_tools(module, target, name, module_import.faulty)
    if faulty and not tolerant:
        module_import.forget()
        raise LoadError.of_faulty(faulty)
    return _of_members(toolset)._replace(faulty=faulty, left_out=left_out, module=module)


def _of_members(toolset: Toolset) -> Source:
    tools = [(tool, tool.origin.removeprefix(f"{Path.cwd()}/")) for tool in toolset]
    return Source(tools, {}, runs=True, is_code=True, members=toolset)


def _load_declared(place: str) -> Source:
    declared, faulty = read_declared(place)
    ids = {
        declaration.id: declaration.tool
        for declaration in declared
        if isinstance(declaration.id, str)
    }
    tools = [(declaration.tool, declaration.where) for declaration in declared]
    return Source(tools, ids, runs=False, is_code=False, faulty=faulty)


def _split(place: str) -> tuple[str, str | None]:
    """Split a place into its module and the name in it, if there is one."""
    target, colon, name = place.rpartition(":")
    return (target, name) if colon and name.isidentifier() else (place, None)


def _is_module_name(text: str) -> bool:
    return all(part.isidentifier() for part in text.split("."))
